//! Why something is no network.

use std::error::Error;
use std::fmt;

use super::file::{LARGEST_FILE, VERSION};
use super::network::{MOST_LAYERS, MOST_PARAMETERS, MOST_WIDTH};

/// Why something is no network.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkError {
    /// There are too many hidden layers, or none.
    Layers(usize),
    /// A hidden layer is too wide, or of no width.
    Width {
        /// The layer's number.
        layer: usize,
        /// Its width.
        width: usize,
    },
    /// It has too many parameters.
    Parameters(usize),
    /// A parameter is not there.
    Missing(String),
    /// A parameter is there that no such network has.
    Unknown(String),
    /// A parameter has the wrong shape.
    Shape {
        /// The parameter's name.
        name: String,
        /// Its shape.
        given: Vec<usize>,
        /// The one that it should have.
        wanted: Vec<usize>,
    },
    /// A parameter holds what is no finite number.
    NotFinite {
        /// The parameter's name.
        name: String,
        /// The rank of the number in it.
        at: usize,
    },
    /// A file is larger than any network.
    Large(u64),
    /// A file is none of safetensors, with what is wrong with it.
    Format(String),
    /// A file of safetensors holds something else.
    Foreign,
    /// A file has a version that is unknown here.
    Version(String),
    /// A file's description of the network makes no sense.
    Description(String),
    /// A file's bytes are not those that were written.
    Altered,
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layers(layers) => write!(f, "hidden has {layers} layers; give 1 to {MOST_LAYERS}"),
            Self::Width { layer, width } => write!(f, "hidden[{layer}] is {width}; give 1 to {MOST_WIDTH}"),
            Self::Parameters(count) => {
                write!(f, "the network has {count} parameters; {MOST_PARAMETERS} are the most, take narrower layers")
            }
            Self::Missing(name) => write!(f, "the parameter {name:?} is missing"),
            Self::Unknown(name) => write!(f, "there is no parameter {name:?} in such a network"),
            Self::Shape { name, given, wanted } => {
                write!(f, "the parameter {name:?} has shape {given:?}, expected {wanted:?}")
            }
            Self::NotFinite { name, at } => {
                write!(f, "the parameter {name:?} holds at {at} what is no finite number; train on from an earlier one")
            }
            Self::Large(bytes) => {
                write!(f, "it has {bytes} bytes, no network has more than {LARGEST_FILE}; is it another file?")
            }
            Self::Format(fault) => write!(f, "it is no file of safetensors, or was damaged: {fault}"),
            Self::Foreign => f.write_str("it holds tensors, but was not saved by oware.Network"),
            Self::Version(version) => write!(f, "it has version {version:?}, this release reads {VERSION}"),
            Self::Description(text) => write!(f, "it was altered, its description makes no sense: {text:?}"),
            Self::Altered => f.write_str("it was altered, it does not have its checksum; get it again"),
        }
    }
}

impl Error for NetworkError {}

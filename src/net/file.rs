//! Networks as files: safetensors, with one entry of metadata that describes the network.
//!
//! ```text
//! "oware.network": "version=2;hidden=256,128;rules=grand_slam:capture_nothing,...;checksum=0123abcd"
//! ```
//!
//! The checksum is the CRC-32 of the description before it, then of each parameter's name and bytes, from the first
//! layer to the heads.

use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensors, serialize};

use crate::rules::Rules;

use super::error::NetworkError;
use super::network::{MOST_PARAMETERS, Network, Parameter};

/// The version of the files that are written and read.
pub const VERSION: u32 = 2;
/// The most bytes of a file: those of the most parameters, and of a long description.
pub const LARGEST_FILE: u64 = 4 * MOST_PARAMETERS as u64 + (1 << 16);
/// The entry of the metadata.
const KEY: &str = "oware.network";
const CHECKSUM: &str = ";checksum=";

impl Network {
    /// The file's bytes; the same for the same network.
    ///
    /// # Errors
    /// [`NetworkError::Format`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        let described = self.description();
        let checksum = self.checksum(&described);
        let metadata = [(KEY.to_owned(), format!("{described}{CHECKSUM}{checksum:08x}"))].into_iter().collect();
        let bytes: Vec<_> = self.parameters().iter().map(bytes_of).collect();
        let views = self.parameters().iter().zip(&bytes).map(|(parameter, bytes)| {
            let view = TensorView::new(Dtype::F32, parameter.shape.clone(), bytes);
            view.map(|view| (parameter.name.as_str(), view))
        });
        let views = views.collect::<Result<Vec<_>, _>>();
        views.and_then(|views| serialize(views, Some(metadata))).map_err(format)
    }

    /// The network of a file.
    ///
    /// # Errors
    /// Every one of [`NetworkError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(NetworkError::Large(bytes.len() as u64));
        }
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(format)?;
        let entry = metadata.metadata().as_ref().and_then(|metadata| metadata.get(KEY)).ok_or(NetworkError::Foreign)?;
        let strange = || NetworkError::Description(entry.chars().take(500).collect());
        let version = entry.strip_prefix("version=").and_then(|rest| rest.split(';').next()).ok_or_else(strange)?;
        if version != VERSION.to_string() {
            return Err(NetworkError::Version(version.chars().take(20).collect()));
        }
        let (described, checksum) = entry.rsplit_once(CHECKSUM).ok_or_else(strange)?;
        let (_, rules) = described.rsplit_once(";rules=").ok_or_else(strange)?;
        let fields: Option<Vec<_>> = rules.split(',').map(|entry| entry.split_once(':')).collect();
        let rules = fields.and_then(Rules::from_fields).ok_or_else(strange)?;

        let tensors = SafeTensors::deserialize(bytes).map_err(format)?;
        let mut parameters = Vec::new();
        for (name, view) in tensors.iter() {
            if view.dtype() != Dtype::F32 {
                return Err(NetworkError::Format(format!("the parameter {name:?} is not of 32-bit floats")));
            }
            let values = view.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
            parameters.push(Parameter { name: name.to_owned(), shape: view.shape().to_vec(), values });
        }
        let network = Self::new(parameters, rules)?;
        if described != network.description() {
            return Err(strange());
        }
        if checksum == format!("{:08x}", network.checksum(described)) {
            Ok(network)
        } else {
            Err(NetworkError::Altered)
        }
    }

    /// The checksum of the network's file: a network with other parameters or rules has surely another one.
    #[must_use]
    pub fn fingerprint(&self) -> u32 {
        self.checksum(&self.description())
    }

    fn description(&self) -> String {
        let hidden: Vec<_> = self.hidden().iter().map(usize::to_string).collect();
        let rules: Vec<_> = self.rules().fields().iter().map(|(field, value)| format!("{field}:{value}")).collect();
        format!("version={VERSION};hidden={};rules={}", hidden.join(","), rules.join(","))
    }

    fn checksum(&self, described: &str) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(described.as_bytes());
        for parameter in self.parameters() {
            hasher.update(parameter.name.as_bytes());
            hasher.update(&bytes_of(parameter));
        }
        hasher.finalize()
    }
}

fn bytes_of(parameter: &Parameter) -> Vec<u8> {
    parameter.values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn format(fault: safetensors::SafeTensorError) -> NetworkError {
    NetworkError::Format(fault.to_string())
}

//! A network: its parameters, and the tables that evaluating it needs.

use ndarray::{Array1, Array2};

use crate::pit::ROW;
use crate::rules::Rules;
use crate::stream::Stream;

use super::error::NetworkError;
use super::first::FirstLayer;
use super::inputs::{INPUTS, SEEN};

/// The outputs: logits, value and margin.
pub(super) const OUTPUTS: usize = ROW + 2;
/// The heads, with their outputs.
const HEADS: [(&str, usize); 3] = [("policy", ROW), ("value", 1), ("margin", 1)];

/// The weight whose inputs are those of the network.
const FIRST_WEIGHT: &str = "hidden.0.weight";

/// The most hidden layers.
pub const MOST_LAYERS: usize = 8;
/// The most numbers in a hidden layer.
pub const MOST_WIDTH: usize = 4096;
/// The most parameters of a network.
pub const MOST_PARAMETERS: usize = 1 << 23;

/// A tensor of a network. A weight has a row for each output of its layer, as PyTorch's `Linear` has.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// `hidden.0.weight`, `hidden.0.bias` and so on, then `policy.weight`, `policy.bias`, and of `value` and `margin`.
    pub name: String,
    /// (outputs, inputs) of a weight, (outputs) of a bias.
    pub shape: Vec<usize>,
    /// Row by row.
    pub values: Vec<f32>,
}

/// A layer whose inputs are all dense.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    /// A row for each input.
    pub(super) weight: Array2<f32>,
    pub(super) bias: Array1<f32>,
}

/// A policy-value network.
///
/// ```
/// use oware::net::{Network, Scratch};
/// use oware::{Game, Rules, Words};
///
/// let network = Network::random(&[64, 32], 0, Rules::default())?;
/// let board = Words::of(Game::new(Rules::default()).position()).observation();
/// let outputs = network.evaluate(&[board], &mut Scratch::default());
/// assert!(outputs[0].value.abs() < 1.0);
/// # Ok::<(), oware::net::NetworkError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Network {
    rules: Rules,
    hidden: Vec<usize>,
    parameters: Vec<Parameter>,
    pub(super) first: FirstLayer,
    /// The other hidden layers and the heads, these as one layer.
    pub(super) dense: Vec<Dense>,
}

/// The names and shapes of the parameters of a network with such hidden layers.
fn layout(hidden: &[usize]) -> Result<Vec<(String, Vec<usize>)>, NetworkError> {
    if !(1..=MOST_LAYERS).contains(&hidden.len()) {
        return Err(NetworkError::Layers(hidden.len()));
    }
    if let Some((layer, &width)) = hidden.iter().enumerate().find(|(_, width)| !(1..=MOST_WIDTH).contains(width)) {
        return Err(NetworkError::Width { layer, width });
    }
    let mut wanted = Vec::new();
    let mut push = |name: &str, outputs: usize, inputs: usize| {
        wanted.push((format!("{name}.weight"), vec![outputs, inputs]));
        wanted.push((format!("{name}.bias"), vec![outputs]));
    };
    let mut inputs = INPUTS;
    for (layer, &width) in hidden.iter().enumerate() {
        push(&format!("hidden.{layer}"), width, inputs);
        inputs = width;
    }
    HEADS.iter().for_each(|(name, outputs)| push(name, *outputs, inputs));
    let count = wanted.iter().map(|(_, shape)| shape.iter().product::<usize>()).sum();
    if count > MOST_PARAMETERS { Err(NetworkError::Parameters(count)) } else { Ok(wanted) }
}

impl Network {
    /// The network with these parameters, in any order.
    ///
    /// # Errors
    /// Those of [`NetworkError`] that are about parameters.
    pub fn new(mut parameters: Vec<Parameter>, rules: Rules) -> Result<Self, NetworkError> {
        let width = |layer: usize| {
            let name = format!("hidden.{layer}.bias");
            let bias = parameters.iter().find(|parameter| parameter.name == name);
            bias.map(|bias| bias.shape.iter().product())
        };
        let hidden: Vec<usize> = (0..=MOST_LAYERS).map_while(width).collect();
        if hidden.is_empty() {
            return Err(NetworkError::Missing("hidden.0.bias".to_owned()));
        }
        let mut ordered = Vec::new();
        for (name, wanted) in layout(&hidden)? {
            let Some(at) = parameters.iter().position(|parameter| parameter.name == name) else {
                return Err(NetworkError::Missing(name));
            };
            let parameter = parameters.swap_remove(at);
            if parameter.shape != wanted || parameter.values.len() != wanted.iter().product::<usize>() {
                return Err(NetworkError::Shape { name, given: parameter.shape, wanted });
            }
            if let Some(at) = parameter.values.iter().position(|value| !value.is_finite()) {
                return Err(NetworkError::NotFinite { name, at });
            }
            ordered.push(parameter);
        }
        if let Some(more) = parameters.pop() {
            return Err(NetworkError::Unknown(more.name));
        }
        let first = FirstLayer::new(&ordered[0], &ordered[1]);
        let mut dense: Vec<_> = ordered[2..2 * hidden.len()]
            .chunks_exact(2)
            .map(|layer| Dense::joined(&[(&layer[0], &layer[1])]))
            .collect();
        let heads: Vec<_> = ordered[2 * hidden.len()..].chunks_exact(2).map(|head| (&head[0], &head[1])).collect();
        dense.push(Dense::joined(&heads));
        Ok(Self { rules, hidden, parameters: ordered, first, dense })
    }

    /// A network that has learnt nothing: weights are uniform around 0 and as wide as keeps the spread of the numbers
    /// from layer to layer (He et al., "Delving deep into rectifiers", ICCV 2015), those of the first layer and the heads
    /// a tenth of that; biases are 0. So a column that is rarely met says little before it has been learnt.
    ///
    /// # Errors
    /// [`NetworkError::Layers`], [`NetworkError::Width`], [`NetworkError::Parameters`].
    pub fn random(hidden: &[usize], seed: u64, rules: Rules) -> Result<Self, NetworkError> {
        let mut stream = Stream::from_seed(seed);
        let parameters = layout(hidden)?.into_iter().map(|(name, shape)| {
            let bound = match shape[..] {
                // Of the first layer's inputs one of each group is 1, the others are small or 0.
                [_, inputs] => (6.0 / if name == FIRST_WEIGHT { SEEN } else { inputs } as f32).sqrt(),
                _ => 0.0,
            };
            let bound = if name == FIRST_WEIGHT || !name.starts_with("hidden") { bound / 10.0 } else { bound };
            let mut draw = || {
                let number = (stream.draw() >> 40) as f32 / (1_u32 << 24) as f32;
                bound * (2.0 * number - 1.0)
            };
            let values = (0..shape.iter().product()).map(|_| draw()).collect();
            Parameter { name, shape, values }
        });
        Self::new(parameters.collect(), rules)
    }

    /// The rules for which it was trained. It can be asked about games under any.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The widths of the hidden layers.
    #[must_use]
    pub fn hidden(&self) -> &[usize] {
        &self.hidden
    }

    /// The parameters, from the first layer to the heads.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }
}

impl Dense {
    /// A layer whose outputs are those of several layers with the same inputs.
    fn joined(layers: &[(&Parameter, &Parameter)]) -> Self {
        let bias: Vec<f32> = layers.iter().flat_map(|(_, bias)| bias.values.iter().copied()).collect();
        let rows: Vec<&[f32]> = layers
            .iter()
            .flat_map(|(weight, _)| weight.values.chunks_exact(weight.shape.get(1).copied().unwrap_or(1)))
            .collect();
        let inputs = rows.first().map_or(0, |row| row.len());
        let weight = Array2::from_shape_fn((inputs, rows.len()), |(input, output)| rows[output][input]);
        Self { weight, bias: Array1::from(bias) }
    }
}

//! The derivatives of the step of a method.

use super::Text;
use super::method::Method;
use nhi_methods::{Retraction, Variant};

impl Method<'_, '_> {
    /// Adds the derivatives, if they are asked for. Those of a composition are products of these, and the tangents of other
    /// retractions are not those of the motion.
    pub(super) fn derivatives(&self, text: &mut Text) {
        let Variant { composition, retraction, .. } = self.variant;
        let are_known = composition.is_none() && matches!(retraction, Retraction::Exp | Retraction::Cayley);
        let first = self.functions.derivatives.iter().flat_map(|derivatives| derivatives.all());
        let all = first.chain(&self.functions.curvature).filter(|_| are_known);
        all.for_each(|function| self.function(text, function, &function.name, &["sim", "p", "u"], None));
    }
}

use nhi_runtime::prelude::*;

fn main() {
    let _ = Compose::suzuki4(Rattle);
    let _ = Compose::symmetric(Rattle::projected(), [0.5, 0.5]);
    let _ = Compose::symmetric(RattleRestarted, [0.5, 0.5]);
    let _ = Compose::symmetric(Dla1, [0.5, 0.5]);
    let _ = Compose::symmetric(Rk4, [0.5, 0.5]);
}

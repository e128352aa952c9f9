//! Extension modules find Python's functions when they are loaded, not when they are linked.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}

//! How long a million rows of two columns take to read and check.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use similis_cli::io::read_table;

/// Returns rows of two numbers with 17 significant digits.
fn rows(n_rows: u32) -> String {
    let mut text = String::new();
    for i in 0..n_rows {
        let x = (f64::from(i) * 0.754_877_666).fract() * 100.0;
        let y = (f64::from(i) * 0.569_840_291).fract() - 0.5;
        writeln!(text, "{x:.16e},{y:.16e}").expect("a string can always grow");
    }
    text
}

fn million_rows(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("the temporary folder can be written");
    let path = folder.path().join("million.csv");
    let text = rows(1_000_000);
    std::fs::write(&path, &text).expect("the temporary folder has room for 50 MB");
    let mut group = criterion.benchmark_group("read_csv");
    group.sample_size(10).throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("million_rows", |bencher| {
        bencher.iter(|| read_table(black_box(&path), false).expect("every row is well formed"));
    });
    group.finish();
}

criterion_group!(benches, million_rows);
criterion_main!(benches);

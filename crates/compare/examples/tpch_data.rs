//! `tpch_data SCALE FOLDER` writes the eight tables of TPC-H at a scale, as files for LOAD DATA with `|` between fields. Used by `bench/tpch/run`.

use std::error::Error;
use std::fmt::Display;
use std::fs::{File, create_dir_all};
use std::io::{BufWriter, Write};
use std::path::Path;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator,
    PartSuppGenerator, RegionGenerator, SupplierGenerator,
};

fn write<R: Display>(to: &Path, table: &str, rows: impl Iterator<Item = R>) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(to.join(table).with_extension("tbl"))?);
    for row in rows {
        writeln!(out, "{row}")?;
    }
    out.flush()
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [scale, folder] = &args[..] else { return Err("usage: tpch_data SCALE FOLDER".into()) };
    let (scale, to) = (scale.parse::<f64>()?, Path::new(folder));
    create_dir_all(to)?;
    write(to, "region", RegionGenerator::new(scale, 1, 1).iter())?;
    write(to, "nation", NationGenerator::new(scale, 1, 1).iter())?;
    write(to, "supplier", SupplierGenerator::new(scale, 1, 1).iter())?;
    write(to, "part", PartGenerator::new(scale, 1, 1).iter())?;
    write(to, "partsupp", PartSuppGenerator::new(scale, 1, 1).iter())?;
    write(to, "customer", CustomerGenerator::new(scale, 1, 1).iter())?;
    write(to, "orders", OrderGenerator::new(scale, 1, 1).iter())?;
    write(to, "lineitem", LineItemGenerator::new(scale, 1, 1).iter())?;
    Ok(())
}

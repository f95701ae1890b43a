//! The redo log's stream after damage.

use crate::split;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_disk::{Disk, IoBuf, Mode};
use weir_engine::log::control::Control;
use weir_engine::log::reader::LogReader;
use weir_engine::log::{self, Segments, frame_header};
use weir_rt::sim::SimRt;

const START: u64 = 4096;
const SEGMENT: u64 = 20480;

/// Groups written one after the other, then some bytes changed: what is read is a beginning of what was written, and then
/// the end, or an error. Never a group that nobody wrote.
pub fn log(data: &[u8]) {
    let (how, rest) = split(data);
    let (changes, rest) = rest.split_at(rest.len().min(usize::from(how % 8) * 3));
    let groups: Vec<&[u8]> = rest.chunks(usize::from(how / 8) * 5 + 3).take(64).collect();
    let mut stream = Vec::new();
    for g in &groups {
        stream.extend_from_slice(&frame_header(1, START + stream.len() as u64, g));
        stream.extend_from_slice(g);
    }
    for c in changes.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([c[0], c[1]]));
        if !stream.is_empty() {
            let at = at % stream.len();
            stream[at] ^= c[2];
        }
    }
    stream.truncate((SEGMENT - log::SEGMENT_HEADER) as usize);
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    let read = sim.run(read_back(Arc::new(disk), stream));
    for (i, payload) in read.expect("nothing waits for ever").iter().enumerate() {
        assert_eq!(payload.as_slice(), groups[i], "group {i} is not what was written");
    }
}

async fn read_back(disk: Arc<dyn Disk>, mut stream: Vec<u8>) -> Vec<Vec<u8>> {
    let control = Control {
        seq: 1,
        id: [1; 16],
        page_size: 512,
        checkpoint: START,
        segment_size: SEGMENT,
        segments: 1,
        clean: false,
        durable: START,
        sample: (0, 0),
        history: 0,
        damaged: Vec::new(),
        epochs: vec![(START, 1)],
    };
    let segments = Segments::open(disk, Mode::Buffered, SEGMENT, [1; 16]).await;
    let segments = segments.expect("an empty directory");
    segments.grow(START).await.expect("room on the device");
    stream.resize(stream.len().next_multiple_of(4096), 0);
    segments.write(START, IoBuf::of(&stream)).await.1.expect("within the segment");
    let mut reader = LogReader::new(&Arc::new(segments), &control, START);
    let mut out = Vec::new();
    while let Ok(Some(_)) = reader.next().await {
        out.push(reader.payload().to_vec());
    }
    out
}

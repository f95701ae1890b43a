//! The program's allocator and its settings.

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Threads of the allocator give unused memory back to the system a second after it was freed. Without them a server that becomes
/// idle would keep what its last statements used, for others give it back only while they allocate. With the usual ten seconds a server
/// that inserts 40,000 rows with each statement holds 350 MiB more, and is no faster.
///
/// Contract: jemalloc looks for a pointer to a text that ends in NUL under this name, reads it once, before `main`, and never writes
/// to it. A reference to an array is such a pointer; the attribute is unsafe because nothing else may have the name.
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static SETTINGS: &[u8; 43] = b"background_thread:true,dirty_decay_ms:1000\0";

//! The program's allocator and its settings.

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Threads of the allocator give unused memory back to the system some seconds after it was freed. Without them a server that becomes
/// idle would keep what its last statements used, for others give it back only while they allocate.
///
/// Contract: jemalloc looks for a pointer to a text that ends in NUL under this name, reads it once, before `main`, and never writes
/// to it. A reference to an array is such a pointer; the attribute is unsafe because nothing else may have the name.
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static SETTINGS: &[u8; 23] = b"background_thread:true\0";

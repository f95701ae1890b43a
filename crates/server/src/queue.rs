//! The queue of clients that wait to be accepted.

use std::os::fd::AsFd;

/// Lets `most` clients wait, and at most as many as the system allows. The standard library asks for 128: when more come at once, the system
/// drops the last step of a handshake, and a client that takes itself for connected waits for a greeting that never comes.
pub(crate) fn widen(listener: &impl AsFd, most: u64) -> std::io::Result<()> {
    Ok(rustix::net::listen(listener, i32::try_from(most).unwrap_or(i32::MAX))?)
}

#[cfg(test)]
mod tests {
    use super::widen;
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    #[test]
    fn more_clients_wait_than_the_standard_library_lets() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        widen(&listener, 400).unwrap();
        let address = listener.local_addr().unwrap();
        let patience = Duration::from_secs(5);
        let clients: Vec<_> =
            (0..300).map(|_| TcpStream::connect_timeout(&address, patience).unwrap()).collect();
        listener.set_nonblocking(true).unwrap();
        let accepted = (0..clients.len()).filter(|_| listener.accept().is_ok()).count();
        assert_eq!(accepted, clients.len(), "net.core.somaxconn is to be 400 at least");
    }
}

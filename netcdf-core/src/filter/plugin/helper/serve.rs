//! A helper process, from its own side.

use super::ARGUMENT;

/// Serves requests and ends the process, if the process was started as a helper.
pub(crate) fn serve_if_helper() {
    let mut args = std::env::args_os().skip(1);
    let is_helper = args.next().is_some_and(|arg| arg == ARGUMENT) && args.next().is_none();
    if is_helper {
        #[cfg(unix)]
        helper::serve();
        super::super::guard::leave_at_once(2);
    }
}

#[cfg(unix)]
mod helper {
    use std::collections::BTreeMap;
    use std::fs::File;
    use std::io::{Read, Result, Write};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::UnixStream;
    use std::path::PathBuf;
    use std::time::Duration;

    use rustix::process::{Resource, Rlimit, getppid, getrlimit, setrlimit};

    use super::super::super::guard;
    use super::super::super::host::PluginCall;
    use super::super::super::local::{FilterCall, FilterResult, Local};
    use super::super::super::registry::open_alone;
    use super::super::process::HELLO;
    use super::super::{HelperMessage, HelperRequest};
    use crate::filter::plugin::wire::{MessageReader, MessageWriter};

    /// The memory of a helper for its plugins, in addition to their threads and 16 times the chunk.
    const MEMORY: u64 = 512 << 20;
    const OF_A_THREAD: u64 = 16 << 20;
    /// The interval of checks whether the tool still exists.
    const LOOK: Duration = Duration::from_millis(500);

    /// Answers requests until the connection ends.
    pub(super) fn serve() {
        let Ok(mut socket) = prepare() else { return };
        let mut plugins = BTreeMap::new();
        let done = socket.write_all(HELLO);
        // The tool has ended, or its message is invalid: stop.
        let _ = done.and_then(|()| {
            loop {
                answer_one(&mut socket, &mut plugins)?;
            }
        }) as Result<()>;
    }

    /// Moves the socket to another descriptor, because plugins may use descriptor 0. Sets limits, and watches the tool.
    fn prepare() -> Result<UnixStream> {
        guard::is_helper();
        let own = rustix::stdio::stdin().try_clone_to_owned()?;
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        // The tool reports a crash; no core dump is needed.
        limit(Resource::Core, 0);
        limit(Resource::Data, memory(0));
        let parent = getppid();
        std::thread::spawn(move || {
            while getppid() == parent {
                std::thread::sleep(LOOK);
            }
            guard::leave_at_once(1);
        });
        Ok(UnixStream::from(own))
    }

    /// Returns the bytes that plugins may use for a chunk of this size.
    fn memory(chunk: u64) -> u64 {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        let fixed = MEMORY.saturating_add(threads.saturating_mul(OF_A_THREAD));
        fixed.saturating_add(chunk.saturating_mul(16))
    }

    /// Lowers a limit; a lower limit stays.
    fn limit(resource: Resource, most: u64) {
        let old = getrlimit(resource);
        let most = old.maximum.map_or(most, |maximum| maximum.min(most));
        let new = Rlimit {
            current: Some(most),
            maximum: old.maximum,
        };
        // If setrlimit fails, the system's limits apply.
        let _ = setrlimit(resource, new);
    }

    type Plugins = BTreeMap<PathBuf, std::result::Result<Local, String>>;

    fn answer_one(socket: &mut UnixStream, plugins: &mut Plugins) -> Result<()> {
        let mut lengths = [[0; 8]; 3];
        socket.read_exact(lengths.as_flattened_mut())?;
        let [request, head, body] = lengths.map(u64::from_le_bytes);
        if body > MEMORY / 16 {
            limit(Resource::Data, memory(body));
        }
        let message = HelperMessage {
            head: read(socket, head)?,
            body: read(socket, body)?,
        };
        let mut out = MessageWriter::default();
        let answer = answer(&message, plugins);
        let body = match &answer {
            Ok((head, given)) => {
                out.truth(true).0.extend_from_slice(&head.0);
                given
                    .as_ref()
                    .and_then(|given| given.bytes())
                    .unwrap_or_default()
            }
            Err(why) => {
                out.truth(false).bytes(why.as_bytes());
                &[]
            }
        };
        let mut start = MessageWriter::default();
        start
            .number(request)
            .number(out.0.len() as u64)
            .number(body.len() as u64);
        start.0.extend(out.0);
        socket.write_all(&start.0)?;
        socket.write_all(body)
    }

    fn read(socket: &mut UnixStream, len: u64) -> Result<Vec<u8>> {
        let mut bytes = vec![];
        let len_here = usize::try_from(len).unwrap_or(usize::MAX);
        let no_memory = |_| std::io::ErrorKind::OutOfMemory;
        bytes.try_reserve_exact(len_here).map_err(no_memory)?;
        socket.take(len).read_to_end(&mut bytes)?;
        match bytes.len() == len_here {
            true => Ok(bytes),
            false => Err(std::io::ErrorKind::UnexpectedEof.into()),
        }
    }

    type Answer = std::result::Result<(MessageWriter, Option<FilterResult>), String>;

    fn answer(message: &HelperMessage, plugins: &mut Plugins) -> Answer {
        let mut read = MessageReader(&message.head);
        let odd = || "unknown request".to_owned();
        let mut begin = || {
            let what = HelperRequest::of(read.number()?)?;
            let path = PathBuf::from(std::ffi::OsStr::from_bytes(read.bytes()?));
            Some((what, path, (read.number()?, read.number()?)))
        };
        let (what, path, identity) = begin().ok_or_else(odd)?;
        let open = || open_alone(&path, identity);
        let local = plugins.entry(path.clone()).or_insert_with(open);
        let local = local.as_ref().map_err(Clone::clone)?;
        let mut out = MessageWriter::default();
        if what == HelperRequest::Describe {
            local.described.put(&mut out);
            return Ok((out, None));
        }
        let call = PluginCall::get(&mut read).ok_or_else(odd)?;
        match what {
            HelperRequest::Describe => {}
            HelperRequest::CanApply => local.can_apply(call).put(&mut out),
            HelperRequest::SetLocal => local.set_local(call).put(&mut out),
            HelperRequest::Apply => {
                let flags = read.small().ok_or_else(odd)?;
                let params = read.numbers().ok_or_else(odd)?;
                let job = FilterCall {
                    flags,
                    params: &params,
                    input: &message.body,
                };
                let given = local.apply(call, &job);
                let given = given
                    .ok_or_else(|| format!("no memory for {} bytes of a chunk", job.input.len()))?;
                out.truth(given.bytes().is_some()).truth(given.is_there());
                out.number(given.len as u64)
                    .bytes(given.messages.as_bytes());
                return Ok((out, Some(given)));
            }
        }
        Ok((out, None))
    }
}

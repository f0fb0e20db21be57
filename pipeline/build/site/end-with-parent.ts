// Loaded into the site build before anything else. Ends the build when the run that started it is gone, even by SIGKILL, instead of
// writing for seconds into a folder that the next run removes.
process.on('disconnect', () => process.exit(1));
// A closing terminal reaches this process, too, although the run may ignore it (nohup).
process.on('SIGHUP', () => {});
// The listener itself must not keep the process alive.
process.channel?.unref();

export {};

// Loaded into the site's build before anything else. Where the run that started it is gone, be it by a signal that nobody
// can catch, there is no use in going on for seconds and writing into a folder that the next run removes.
process.on('disconnect', () => process.exit(1));
// Listening alone would keep the process from ending.
process.channel?.unref();

export {};

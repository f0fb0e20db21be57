import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { asDiskErrors } from '../../disk/durable.ts';
import { SQL_ENGINE } from '../../release/format/sql-engine.ts';

const LEVEL = 9;

/** Adds the engine of the SQL page to the files that browsers load. Throws publish_failed. */
export async function addSqlEngine(client: string): Promise<void> {
  const { archive, wasm, worker } = SQL_ENGINE;
  const dist = dirname(createRequire(import.meta.url).resolve(`@duckdb/duckdb-wasm/dist/${wasm}`));
  await asDiskErrors(client, async () => {
    await copyFile(join(dist, 'duckdb-browser-eh.worker.js'), join(client, worker));
    const bytes = await readFile(join(dist, wasm));
    const compressed = await promisify(deflateRaw)(bytes, { level: LEVEL });
    await writeFile(join(client, archive), zipOfOne(wasm, bytes, compressed));
  });
}

const [DEFLATE, MIDNIGHT, FIRST_DAY_OF_1980] = [8, 0, 0x21];

/** PKWARE APPNOTE 4.3: a local header, the data, the central directory and its end. */
function zipOfOne(name: string, bytes: Uint8Array, compressed: Uint8Array): Buffer {
  const about = Buffer.alloc(26);
  about.writeUInt16LE(20, 0);
  about.writeUInt16LE(DEFLATE, 4);
  about.writeUInt16LE(MIDNIGHT, 6);
  about.writeUInt16LE(FIRST_DAY_OF_1980, 8);
  about.writeUInt32LE(crc32(bytes), 10);
  about.writeUInt32LE(compressed.length, 14);
  about.writeUInt32LE(bytes.length, 18);
  about.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), about, Buffer.from(name)]);
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02', 'latin1'),
    // Made by version 2.0, too.
    Buffer.from([20, 0]),
    about,
    // Comment, disk, attributes, and the offset of the local header: 0.
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length + compressed.length, 16);
  return Buffer.concat([local, compressed, central, end]);
}

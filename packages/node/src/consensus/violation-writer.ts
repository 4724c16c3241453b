import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ViolationBundle, ViolationWriter } from '@keelson/consensus'

/** Bounds the disk use of a node in a restart loop. */
const KEPT = 20
/** Bounds reasons, which may contain outside input. */
const MAX_FILE_CHARACTERS = 2 ** 20
const MAX_LINE_CHARACTERS = 2_048

/** Creates `directory` with mode 700; rejects if it is a link. */
export function createViolationWriter(directory: string): ViolationWriter {
  return {
    async write(bundle) {
      const time = new Date(bundle.atMs).toISOString().replaceAll(/[:.]/g, '-')
      const path = join(directory, `${time}-${bundle.name}`)
      await mkdir(directory, { recursive: true, mode: 0o700 })
      if (!(await lstat(directory)).isDirectory()) throw new Error(`${directory} is a link or a file; it must be a directory: remove it`)
      await mkdir(path, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
        // Two bundles in the same millisecond share a directory.
        if (error.code !== 'EEXIST' || !(await lstat(path)).isDirectory()) throw error
      })
      const write = async (name: string, text: string) => {
        await rm(join(path, name), { force: true })
        await writeFile(join(path, name), text.slice(0, MAX_FILE_CHARACTERS), { mode: 0o600, flag: 'wx' })
      }
      const { trace, rollupConfig, before, after, l1, ...about } = bundle
      await write('violation.json', json(about))
      await write('heads.json', json({ before, after }))
      await write('l1.json', json(l1))
      await write('rollup.json', json(rollupConfig))
      await write('trace.jsonl', trace.map((entry) => `${JSON.stringify(entry, plain).slice(0, MAX_LINE_CHARACTERS)}\n`).join(''))
      await write('README', readme(bundle))
      await dropOldest(directory)
      return path
    },
  }
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

function json(value: unknown): string {
  return `${JSON.stringify(value, plain, 2)}\n`
}

function readme({ message, move, trace }: ViolationBundle): string {
  return `${message}

violation.json says what was broken, heads.json the heads before and what they would have become (${move.kind}), l1.json where
L1 stood. trace.jsonl has the last ${trace.length} inputs and calls, the newest last: read it from the end, for example with
  tail -n 40 trace.jsonl | jq -c '[.atMs, .what, .fields]'
and compare each hash with another node's (eth_getBlockByNumber). Send the whole directory with a report: it holds no secrets.
`
}

async function dropOldest(directory: string): Promise<void> {
  const names = (await readdir(directory)).sort()
  for (const name of names.slice(0, Math.max(0, names.length - KEPT))) await rm(join(directory, name), { recursive: true, force: true })
}

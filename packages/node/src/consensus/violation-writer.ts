/** Writes down what is known when an invariant of the consensus client is broken: one directory for each time, the newest few kept. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ViolationBundle, ViolationWriter } from '@keelson/consensus'

/** A node that is started again and again must not fill the disk with these. */
const KEPT = 20

/** `directory` is made when first needed. Rejects with what the file system says. */
export function createViolationWriter(directory: string): ViolationWriter {
  return {
    async write(bundle) {
      const time = new Date(bundle.atMs).toISOString().replaceAll(/[:.]/g, '-')
      const path = join(directory, `${time}-${bundle.name}`)
      await mkdir(path, { recursive: true })
      const { trace, rollupConfig, before, after, l1, ...about } = bundle
      await writeFile(join(path, 'violation.json'), json(about))
      await writeFile(join(path, 'heads.json'), json({ before, after }))
      await writeFile(join(path, 'l1.json'), json(l1))
      await writeFile(join(path, 'rollup.json'), json(rollupConfig))
      await writeFile(join(path, 'trace.jsonl'), trace.map((entry) => `${JSON.stringify(entry, plain)}\n`).join(''))
      await writeFile(join(path, 'README'), readme(bundle))
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

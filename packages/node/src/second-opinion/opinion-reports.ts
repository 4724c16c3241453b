import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesToHex } from '@keelson/primitives'
import type { OpinionReport } from './second-opinion-watch.ts'

/** Bounds the disk use of a node in a restart loop. */
const KEPT = 20
const REPORT = /^block-(\d+)-0x[0-9a-f]{64}\.json$/

const numberOf = (name: string) => Number(REPORT.exec(name)?.[1])

/** Writes `block-N-HASH.json`, readable only by its owner, and returns the path. */
export async function writeOpinionReport(directory: string, report: OpinionReport): Promise<string> {
  const { number, hash, verdict, block, witness } = report
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const names = (await readdir(directory)).filter((name) => REPORT.test(name)).sort((a, b) => numberOf(a) - numberOf(b))
  for (const name of names.slice(0, Math.max(0, names.length - KEPT + 1))) await rm(join(directory, name))
  const path = join(directory, `block-${number}-${hash}.json`)
  const text = JSON.stringify({ number, hash, verdict, block: bytesToHex(block), witness: JSON.parse(witness) })
  await rm(path, { force: true })
  await writeFile(path, `${text}\n`, { mode: 0o600, flag: 'wx' })
  return path
}

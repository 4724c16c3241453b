import { resolve } from 'node:path'
import { counted } from '@keelson/primitives'
import { readDataIdentity } from '@keelson/runtime'
import type { DoctorCheck } from '../doctor-context.ts'
import { existingParent } from '../existing-parent.ts'
import { ok, type Result, skip, warn } from '../finding.ts'

/** A file system and the kernel keep some of what is on the label. */
const LABEL_SHARE = 0.93
/** A database keeps up to 1,000 tables open, and the RPC accepts 8,192 connections unless an option says otherwise. */
const MIN_OPEN_FILES = 10_000
/** A local NVMe disk takes 0.1 to 3 ms, a spinning or a remote one 5 to 30. */
const SLOW_SYNC_MS = 10
const FEWEST_SYNCS = 5

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(bytes < 10e9 ? 1 : 0)} GB`

export const processorsCheck: DoctorCheck = {
  name: 'processors',
  async run({ machine: { processors }, settings: { minimum } }) {
    const found = counted(processors, 'processor')
    if (processors >= minimum.processors) return ok(found)
    return warn(
      found,
      `${minimum.of} needs ${minimum.processors}`,
      'use a larger machine, or give the execution client one of its own: blocks are late when several processes wait for a processor',
    )
  },
}

export const memoryCheck: DoctorCheck = {
  name: 'memory',
  async run({ machine: { memoryBytes }, settings: { minimum } }) {
    const found = `${gigabytes(memoryBytes)} of memory`
    if (memoryBytes >= LABEL_SHARE * minimum.memoryBytes) return ok(found)
    return warn(
      found,
      `${minimum.of} needs ${gigabytes(minimum.memoryBytes)}`,
      'use a larger machine, or raise the limit of the container: the kernel ends a process that runs out of memory',
    )
  },
}

export const openFilesCheck: DoctorCheck = {
  name: 'open-files',
  async run({ machine }) {
    const limit = await machine.openFileLimit()
    if (limit === null) return skip('open files', 'this system does not tell the limit')
    if (limit >= MIN_OPEN_FILES) return ok(limit === Number.POSITIVE_INFINITY ? 'open files are not limited' : `${limit} open files`)
    return warn(
      `${limit} open files`,
      `a node with its database, peers and RPC connections may need ${MIN_OPEN_FILES}`,
      'set LimitNOFILE=65536 in the systemd unit, or "ulimit -Hn 65536" in the shell that starts the node',
    )
  },
}

export const diskSizeCheck: DoctorCheck = {
  name: 'disk-size',
  async run({ settings: { dataDirs, minimum }, machine }) {
    if (dataDirs.length === 0) return skip('disk size', 'no data directory is given (--data-dir)')
    const results: Result[] = []
    for (const dir of dataDirs) {
      const folder = resolve(dir)
      const role = await roleOf(folder)
      if (role !== null && role !== 'execution') continue
      const { totalBytes } = await machine.disk(await existingParent(folder))
      const found = `the disk of ${folder} has ${gigabytes(totalBytes)}`
      if (totalBytes >= LABEL_SHARE * minimum.diskBytes) results.push(ok(found))
      else
        results.push(
          warn(
            found,
            `the execution client of ${minimum.of} needs ${gigabytes(minimum.diskBytes)}`,
            'move this data folder to a larger disk before it is full',
          ),
        )
    }
    return results.length === 0 ? skip('disk size', 'none of the folders is of an execution client; the other roles keep little') : results
  },
}

export const diskSpeedCheck: DoctorCheck = {
  name: 'disk-speed',
  async run({ settings: { dataDirs }, machine }) {
    if (dataDirs.length === 0) return skip('disk speed', 'no data directory is given (--data-dir)')
    const folders = new Set(await Promise.all(dataDirs.map((dir) => existingParent(resolve(dir)))))
    return Promise.all([...folders].map(async (folder) => judgeSpeed(folder, await machine.syncTimesMs(folder).catch(() => []))))
  },
}

function judgeSpeed(folder: string, timesMs: readonly number[]): Result {
  if (timesMs.length < FEWEST_SYNCS) return skip(`disk speed of ${folder}`, 'too few writes reached the disk in the time of the probe')
  const sorted = [...timesMs].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] as number
  const found = `${folder}: a write takes ${at(0.5).toFixed(1)} ms to reach the disk, the slowest tenth over ${at(0.9).toFixed(1)} ms`
  if (at(0.5) <= SLOW_SYNC_MS) return ok(found)
  return warn(
    found,
    `over ${SLOW_SYNC_MS} ms, a sequencer or validator that waits for the disk before it signs is late`,
    'use a local NVMe disk, or look for what else writes to this one (iostat -x 1)',
  )
}

/** Null for a folder that is new or damaged, which is judged as an execution client's. */
function roleOf(folder: string): Promise<string | null> {
  return readDataIdentity(folder).then(
    (identity) => identity?.role ?? null,
    () => null,
  )
}

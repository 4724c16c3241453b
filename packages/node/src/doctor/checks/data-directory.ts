import { access, constants, readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { RollupConfig } from '@keelson/chainspec'
import { asCalled, describeHolder } from '@keelson/runtime'
import type { DiskUse } from '../../role/disk-check.ts'
import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { existingParent } from '../existing-parent.ts'
import { fail, ok, type Result, skip, warn } from '../finding.ts'

const STORE_OF_ROLE: Readonly<Record<string, string>> = { execution: 'chain', consensus: 'store' }
const GIB = 1024 ** 3
const DAY_MS = 86_400_000
/** Directories younger than this do not show a growth rate. */
const MIN_AGE_MS = 3_600_000
const MIN_DAYS = 14
const MAX_USED_SHARE = 0.97

export const dataDirectoryCheck: DoctorCheck = {
  name: 'data-directory',
  async run(context) {
    if (context.settings.dataDirs.length === 0) return skip('not looked at', 'none is given (--data-dir)')
    return Promise.all(context.settings.dataDirs.map((folder) => judgeDirectory(resolve(folder), context)))
  },
}

async function judgeDirectory(folder: string, { machine, rollup }: DoctorContext): Promise<Result> {
  const text = await readFile(join(folder, 'identity.json'), 'utf8').catch((error: NodeJS.ErrnoException) => error)
  if (text instanceof Error) {
    if (text.code !== 'ENOENT' && text.code !== 'ENOTDIR')
      return fail(`${folder} cannot be read`, text.message, 'give this user access to it')
    const parent = await existingParent(folder)
    const writable = await access(parent, constants.W_OK).then(
      () => true,
      () => false,
    )
    if (!writable)
      return fail(`${folder} cannot be made`, `this user may not write to ${parent}`, 'give access, or name another --data-dir')
    return ok(`${folder} is new`)
  }
  const found = parseIdentity(text)
  if (found === null) {
    return fail(`${folder} cannot be used`, 'its identity.json is damaged', 'bring it back from a backup, or name another --data-dir')
  }
  if (rollup !== null && !isOf(found, rollup)) {
    const why = `it holds data of chain ${found.chainId} with genesis ${found.genesisHash}, the network is chain ${rollup.l2ChainId} with genesis ${rollup.genesis.l2.hash}`
    return fail(`${folder} is of another chain`, why, 'name another --data-dir, or the --network it belongs to')
  }
  const holder = await machine.lockHolder(join(folder, STORE_OF_ROLE[found.role ?? ''] ?? '', 'LOCK'))
  const held = holder === null ? 'nobody works on it' : `${describeHolder(holder)} works on it`
  if (holder !== null && !holder.keelson) return fail(`${folder} is locked`, held, 'stop that program')
  return ok(`${folder}: ${found.role} data of chain ${found.chainId}, layout ${found.version}; ${held}`)
}

interface Identity {
  readonly role?: string
  readonly chainId?: string
  readonly genesisHash?: string
  readonly version?: number
}

function parseIdentity(text: string): Identity | null {
  try {
    return JSON.parse(text) as Identity | null
  } catch {
    return null
  }
}

function isOf(found: Identity, rollup: RollupConfig): boolean {
  return found.chainId === rollup.l2ChainId.toString() && found.genesisHash === rollup.genesis.l2.hash
}

export const diskCheck: DoctorCheck = {
  name: 'disk',
  async run({ settings, machine }) {
    if (settings.dataDirs.length === 0) return skip('disk', 'no data directory is given (--data-dir)')
    return Promise.all(
      settings.dataDirs.map(async (dir) => {
        const folder = resolve(dir)
        const use = await machine.disk(await existingParent(folder))
        return judgeRoom(folder, use, settings.minFreeBytes, await growth(folder, machine.nowMs()))
      }),
    )
  },
}

interface Growth {
  readonly bytes: number
  readonly ageMs: number
}

export function judgeRoom(folder: string, use: DiskUse, minFreeBytes: number, grown: Growth | null): Result {
  const { freeBytes, totalBytes } = use
  const free = `${(freeBytes / GIB).toFixed(1)} GiB free of ${(totalBytes / GIB).toFixed(1)}`
  const todo = `make room, move the data folder to a larger disk, or keep less with "${asCalled('db prune')}"`
  if (freeBytes < minFreeBytes || freeBytes < (1 - MAX_USED_SHARE) * totalBytes) {
    return fail(`the disk of ${folder} is nearly full`, `${free}; a full disk stops all writing`, todo)
  }
  if (grown === null || grown.bytes === 0 || grown.ageMs < MIN_AGE_MS)
    return ok(`${folder}: ${free}; it is too young to say how fast it grows`)
  const days = (freeBytes * grown.ageMs) / grown.bytes / DAY_MS
  const pace = `${folder}: ${free}; at the pace of its ${(grown.ageMs / DAY_MS).toFixed(1)} days it lasts ${days > 3650 ? 'for years' : `${Math.floor(days)} days`}`
  return days < MIN_DAYS ? warn(pace, `less than ${MIN_DAYS} days are left`, todo) : ok(pace)
}

async function growth(folder: string, nowMs: number): Promise<Growth | null> {
  const identity = await stat(join(folder, 'identity.json')).catch(() => null)
  return identity === null ? null : { bytes: await sizeOf(folder), ageMs: nowMs - identity.birthtimeMs }
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await sizeOf(path)
    // A running node creates and deletes tables, so files may vanish.
    else if (entry.isFile())
      bytes += await stat(path).then(
        ({ size }) => size,
        () => 0,
      )
  }
  return bytes
}

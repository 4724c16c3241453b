/**
 * The development networks of this user that run on this machine, so that a network whose ports are taken can name the folder
 * of the one that has them. A record only says where to look: whether a network runs is judged by its own folder.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Instance, runningInstance } from './instance-lock.ts'

export interface RunningNetwork {
  readonly folder: string
  readonly instance: Instance
}

/** Records that are read; more networks do not fit on a machine. */
const MAX_RECORDS = 256

export interface RunningNetworks {
  /** Records the network in the folder. Does nothing where the state folder cannot be written: the record is a convenience. */
  add(folder: string): void
  remove(folder: string): void
  /** Those that run now. Removes the records of networks that were killed. */
  list(): readonly RunningNetwork[]
}

/** `stateFolder` as in state-folder.ts. */
export function openRunningNetworks(stateFolder: string): RunningNetworks {
  const records = join(stateFolder, 'networks')
  const fileOf = (folder: string) => join(records, `${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.json`)

  return {
    add(folder) {
      quietly(() => {
        mkdirSync(records, { recursive: true, mode: 0o700 })
        writeFileSync(fileOf(folder), JSON.stringify({ folder }))
      })
    },
    remove: (folder) => quietly(() => rmSync(fileOf(folder), { force: true })),
    list() {
      const names = quietly(() => readdirSync(records)) ?? []
      return names.slice(0, MAX_RECORDS).flatMap((name) => {
        const file = join(records, name)
        const folder = quietly(() => (JSON.parse(readFileSync(file, 'utf8')) as { folder?: unknown }).folder)
        const instance = typeof folder === 'string' ? runningInstance(folder) : null
        if (instance !== null) return [{ folder: folder as string, instance }]
        quietly(() => rmSync(file, { force: true }))
        return []
      })
    },
  }
}

function quietly<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}

/** Records devnets, so that a network whose ports are in use can name the folder that holds them. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Instance, runningInstance } from './instance-lock.ts'

export interface RunningNetwork {
  readonly folder: string
  readonly instance: Instance
}

const MAX_RECORDS = 256

export interface RunningNetworks {
  add(folder: string): void
  remove(folder: string): void
  list(): readonly RunningNetwork[]
}

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

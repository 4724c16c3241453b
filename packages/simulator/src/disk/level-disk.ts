/** A simulated disk with what the commands of `keelson db` need beside the store of a node. */
import type { LevelStore } from '@keelson/runtime'
import type { SimProcess } from '../core/sim-process.ts'
import type { SimulatedDisk } from './simulated-disk.ts'

export function openLevelDisk(disk: SimulatedDisk, owner: SimProcess): LevelStore {
  const store = disk.open(owner)
  return {
    ...store,
    snapshot: () => disk.still().open(owner),
    writeFailure: () => null,
    async approximateBytes(from, to) {
      let bytes = 0
      for await (const [key, value] of store.range(from, to)) bytes += key.length + value.length
      return bytes
    },
    compact: async () => undefined,
  }
}

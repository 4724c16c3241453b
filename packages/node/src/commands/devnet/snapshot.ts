import { resolve } from 'node:path'
import { listSnapshots } from '@keelson/devnet'
import { asCalled, createSystemClock } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { askNetwork } from './ask-network.ts'
import { dataDirOption } from './options.ts'

const MIB = 1024 * 1024
const clock = createSystemClock()
const seconds = (sinceMs: number) => `${((clock.monotonicMs() - sinceMs) / 1000).toFixed(1)} s`

export const snapshotCommand = defineCommand({
  name: 'devnet snapshot',
  summary: 'saves both chains and all services under a name; without one, lists what is saved',
  usage: '[NAME] [--data-dir FOLDER]',
  explanation: `A network that runs stands still for a moment and continues. Snapshots lie in FOLDER/snapshots, compressed; they share the
tables of the databases with the network as hard links. They stay when --fresh begins a new chain; delete a folder there to remove one.`,
  options: { dataDir: dataDirOption },
  takesArguments: true,
  checkArguments: ([, second]) => refuseMore(second),
  async run({ dataDir }, { positional: [name] }) {
    if (name === undefined) {
      for (const saved of await listSnapshots(resolve(dataDir)))
        console.log(`${saved.name}  ${new Date(saved.takenMs).toISOString()}  ${(saved.bytes / MIB).toFixed(0)} MiB`)
      return 0
    }
    const { result } = await askNetwork(dataDir, { task: 'snapshot', params: { name } })
    const { bytes, pausedMs = null } = result as { readonly bytes: number; readonly pausedMs?: number }
    const after = pausedMs === null ? '' : `; the network stood still for ${(pausedMs / 1000).toFixed(1)} s`
    console.log(`saved "${name}", ${(bytes / MIB).toFixed(0)} MiB${after}. It comes back with: ${asCalled(`devnet restore ${name}`)}`)
    return 0
  },
})

export const restoreCommand = defineCommand({
  name: 'devnet restore',
  summary: 'brings a snapshot back; what the network holds now is lost',
  usage: 'NAME [--data-dir FOLDER]',
  explanation: `Every file is compared with what was saved before the network is stopped. Its clock continues at the time of the snapshot; after
the next start without --keep-clock the chain catches up with real time.`,
  options: { dataDir: dataDirOption },
  takesArguments: true,
  checkArguments([first, second]) {
    if (first === undefined) throw new AssemblyError('node/usage', `say which snapshot; ${asCalled('devnet snapshot')} lists them`)
    refuseMore(second)
  },
  async run({ dataDir }, { positional: [name] }) {
    const began = clock.monotonicMs()
    const { running } = await askNetwork(dataDir, { task: 'restore', params: { name } })
    const next = running
      ? `the network runs again after ${seconds(began)}`
      : `${asCalled('devnet --keep-clock')} continues it at the time of the snapshot`
    console.log(`restored "${name}"; ${next}`)
    return 0
  },
})

function refuseMore(second: string | undefined): void {
  if (second !== undefined) throw new AssemblyError('node/usage', `"${second}" is one too many: one name`)
}

/** The faults that are caused on a development network, in this order. */
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { DevnetPorts } from '../../packages/devnet/src/ports/ports.ts'
import type { DevnetProcess } from '../support/devnet-process.ts'
import { rpcCall } from '../support/json-rpc.ts'

export interface Fault {
  readonly name: string
  readonly alert: string
  /** Metrics port of the client that the alert names. */
  readonly port: number
  cause(): Promise<void>
  end(): Promise<void>
}

export interface FaultWorld {
  readonly devnet: DevnetProcess
  readonly ports: DevnetPorts
  /** Null when a small disk could not be made. */
  readonly disk: { readonly folder: string; readonly metricsPort: number } | null
}

/** Long enough for several blocks to be late, and far below every deadline of the sequencer. */
const PAUSE_MS = 9_000
const FULL_SHARE = 0.92

export function createFaults({ devnet, ports, disk }: FaultWorld): readonly Fault[] {
  const signal = (role: string, name: NodeJS.Signals) => {
    const pid = devnet.rolePids()[role]
    if (pid === undefined) throw new Error(`the network has no role ${role}`)
    process.kill(pid, name)
  }
  const paused = (role: string) => ({
    cause: async () => signal(role, 'SIGSTOP'),
    end: async () => signal(role, 'SIGCONT'),
  })
  const admin = (method: string) => rpcCall(`http://127.0.0.1:${ports.batcher.admin}`, method).then(() => undefined)
  return [
    ...(disk === null ? [] : [fullDisk(disk)]),
    {
      name: 'the execution client of the sequencer hangs for 9 s',
      alert: 'BlocksMissed',
      port: ports.consensus.metrics,
      async cause() {
        signal('execution', 'SIGSTOP')
        await delay(PAUSE_MS)
        signal('execution', 'SIGCONT')
      },
      end: async () => undefined,
    },
    { name: 'the only peer of the sequencer hangs', alert: 'PeersNone', port: ports.consensus.metrics, ...paused('validator-consensus') },
    {
      name: 'the execution client of the validator hangs',
      alert: 'ClientDown',
      port: ports.validatorExecution.metrics,
      ...paused('validator-execution'),
    },
    {
      name: 'the batcher is stopped',
      alert: 'SafeHeadStalled',
      port: ports.consensus.metrics,
      cause: () => admin('admin_stopBatcher'),
      end: () => admin('admin_startBatcher'),
    },
    { name: 'L1 hangs', alert: 'L1Stalled', port: ports.consensus.metrics, ...paused('l1') },
  ]
}

function fullDisk({ folder, metricsPort }: { readonly folder: string; readonly metricsPort: number }): Fault {
  const file = join(folder, 'filler')
  return {
    name: 'the small disk of a node is filled',
    alert: 'DiskFilling',
    port: metricsPort,
    async cause() {
      const { bavail, blocks, bsize } = statfsSync(folder)
      writeFileSync(file, Buffer.alloc(Math.floor((bavail - (1 - FULL_SHARE) * blocks) * bsize)))
    },
    end: async () => rmSync(file),
  }
}

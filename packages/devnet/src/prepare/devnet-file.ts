/** Describes a running network to other programs. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEV_ROLES } from '../genesis/devnet/dev-accounts.ts'
import type { DevnetPorts } from '../ports/ports.ts'
import type { DevnetService } from '../roles/devnet-services.ts'
import { validatorDutyFolder } from './validator-duty-folder.ts'

export interface DevnetAccount {
  readonly address: string
  readonly privateKey: string
}

export interface DevnetFile {
  readonly l1: { readonly rpcUrl: string; readonly beaconUrl: string; readonly chainId: number }
  readonly l2: {
    readonly rpcUrl: string
    readonly wsUrl: string
    readonly engineUrl: string
    readonly rollupRpcUrl: string
    readonly chainId: number
    readonly dataDir: string
  }
  readonly validator: {
    readonly rpcUrl: string
    readonly wsUrl: string
    readonly rollupRpcUrl: string
    readonly dataDir: string
    readonly duty: { readonly metricsUrl: string; readonly owner: string; readonly dataDir: string }
  }
  readonly standby: { readonly rpcUrl: string; readonly wsUrl: string; readonly rollupRpcUrl: string; readonly dataDir: string } | null
  /** conductor_leaderWithID returns the leader. */
  readonly conductor: {
    readonly sequencerUrl: string
    readonly standbyUrl: string
    readonly operatorUrl: string
    readonly secrets: string
    readonly dataDir: string
  } | null
  readonly metrics: { readonly execution: string; readonly consensus: string }
  readonly networkDir: string
  /** Every role adds this to the machine's clock. */
  readonly clockOffsetMs: number
  readonly sequencerMultiaddr: string | null
  readonly accounts: readonly DevnetAccount[]
  readonly contracts: Readonly<Record<string, string>>
  readonly services: {
    readonly faucet: string | null
    readonly bridge: string | null
    readonly web: string | null
    readonly platform: string | null
    readonly index: string | null
  }
}

export interface DevnetFacts {
  readonly host: string
  readonly ports: DevnetPorts
  readonly services: readonly DevnetService[]
  readonly folder: string
  readonly clockOffsetMs: number
  readonly sequencerPeerId: string | null
  readonly l1ChainId: number
  readonly l2ChainId: number
  readonly accounts: readonly DevnetAccount[]
  readonly contracts: Readonly<Record<string, string>>
}

export function describeDevnet({
  host,
  ports,
  services,
  folder,
  clockOffsetMs,
  sequencerPeerId,
  l1ChainId,
  l2ChainId,
  accounts,
  contracts,
}: DevnetFacts): DevnetFile {
  const http = (port: number) => `http://${host}:${port}`
  const service = (name: DevnetService) => (services.includes(name) ? http(ports[name].http) : null)
  const ws = (port: number) => `ws://${host}:${port}`
  return {
    l1: { rpcUrl: http(ports.l1), beaconUrl: http(ports.beacon), chainId: l1ChainId },
    l2: {
      rpcUrl: http(ports.execution.http),
      wsUrl: ws(ports.execution.ws),
      engineUrl: http(ports.execution.engine),
      rollupRpcUrl: http(ports.consensus.rpc),
      chainId: l2ChainId,
      dataDir: join(folder, 'sequencer'),
    },
    validator: {
      rpcUrl: http(ports.validatorExecution.http),
      wsUrl: ws(ports.validatorExecution.ws),
      rollupRpcUrl: http(ports.validatorConsensus.rpc),
      dataDir: join(folder, 'validator'),
      duty: {
        metricsUrl: http(ports.validatorDuty.metrics),
        owner: DEV_ROLES.validator.address,
        dataDir: validatorDutyFolder(join(folder, 'validator')).dataDir,
      },
    },
    standby:
      ports.standbyExecution === undefined || ports.standbyConsensus === undefined
        ? null
        : {
            rpcUrl: http(ports.standbyExecution.http),
            wsUrl: ws(ports.standbyExecution.ws),
            rollupRpcUrl: http(ports.standbyConsensus.rpc),
            dataDir: join(folder, 'standby'),
          },
    conductor:
      ports.conductor === undefined
        ? null
        : {
            sequencerUrl: http(ports.conductor.first),
            standbyUrl: http(ports.conductor.second),
            operatorUrl: http(ports.conductor.operator),
            secrets: join(folder, 'conductor-secrets'),
            dataDir: join(folder, 'conductor'),
          },
    metrics: { execution: `${http(ports.execution.metrics)}/metrics`, consensus: `${http(ports.consensus.metrics)}/metrics` },
    networkDir: join(folder, 'network'),
    clockOffsetMs,
    sequencerMultiaddr: sequencerPeerId === null ? null : `/ip4/${host}/tcp/${ports.consensus.p2p}/p2p/${sequencerPeerId}`,
    accounts,
    contracts,
    services: {
      faucet: service('faucet'),
      bridge: service('bridge'),
      web: service('web'),
      platform: service('platform'),
      index: service('index'),
    },
  }
}

const FILE = 'devnet.json'

export function devnetFilePath(folder: string): string {
  return join(folder, FILE)
}

/** Written atomically, because programs wait for the file. */
export function writeDevnetFile(folder: string, facts: DevnetFile): void {
  const partial = `${devnetFilePath(folder)}.partial`
  writeFileSync(partial, `${JSON.stringify(facts, null, 2)}\n`)
  renameSync(partial, devnetFilePath(folder))
}

export function removeDevnetFile(folder: string): void {
  rmSync(devnetFilePath(folder), { force: true })
}

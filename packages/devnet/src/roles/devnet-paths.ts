import { join } from 'node:path'

export interface DevnetPaths {
  readonly folder: string
  readonly network: string
  readonly l1: string
  readonly beacon: string
  readonly sequencer: string
  readonly standby: string
  readonly conductor: string
  readonly conductorSecrets: string
  readonly validator: string
  readonly batcher: string
  readonly proposer: string
  readonly bridge: string
  readonly faucet: string
  readonly platform: string
  readonly index: string
  readonly web: string
  readonly logs: string
}

export function devnetPaths(folder: string): DevnetPaths {
  const inside = (name: string) => join(folder, name)
  return {
    folder,
    network: inside('network'),
    l1: inside('l1'),
    beacon: inside('beacon'),
    sequencer: inside('sequencer'),
    standby: inside('standby'),
    conductor: inside('conductor'),
    conductorSecrets: inside('conductor-secrets'),
    validator: inside('validator'),
    batcher: inside('batcher'),
    proposer: inside('proposer'),
    bridge: inside('bridge'),
    faucet: inside('faucet'),
    platform: inside('platform'),
    index: inside('index'),
    web: inside('web'),
    logs: inside('logs'),
  }
}

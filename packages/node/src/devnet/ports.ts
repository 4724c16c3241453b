/** Every port of the development network in one place; `--port-offset` moves them together. */
import { AssemblyError } from '../errors.ts'

export interface ExecutionPorts {
  readonly http: number
  readonly ws: number
  readonly engine: number
  readonly metrics: number
}
export interface ConsensusPorts {
  readonly p2p: number
  readonly rpc: number
  readonly metrics: number
}
export interface SubmitterPorts {
  readonly metrics: number
  readonly admin: number
}
export interface ConductorPorts {
  /** What the conductor listens on for each sequencer. */
  readonly first: number
  readonly second: number
  readonly operator: number
  readonly metrics: number
}
export interface ServicePorts {
  readonly http: number
  readonly metrics: number
}
export interface DevnetPorts {
  readonly l1: number
  readonly beacon: number
  readonly execution: ExecutionPorts
  readonly consensus: ConsensusPorts
  readonly validatorExecution: ExecutionPorts
  readonly validatorConsensus: ConsensusPorts
  readonly batcher: SubmitterPorts
  readonly proposer: SubmitterPorts
  readonly bridge: ServicePorts
  readonly faucet: ServicePorts
  readonly platform: ServicePorts
  /** The duty loop of the validator. */
  readonly validatorDuty: { readonly metrics: number }
  /** The second sequencer, and the conductor of both. */
  readonly standbyExecution?: ExecutionPorts
  readonly standbyConsensus?: ConsensusPorts
  readonly conductor?: ConductorPorts
}

const HIGHEST_BASE_PORT = 19_545
const HIGHEST_PORT = 65_535

/** Throws AssemblyError `node/usage` when the offset is not a whole number that keeps every port in range. */
export function devnetPorts(offset: number, sequencers = 1): DevnetPorts {
  const limit = HIGHEST_PORT - HIGHEST_BASE_PORT
  if (!Number.isInteger(offset) || offset < 0 || offset > limit) {
    throw new AssemblyError('node/usage', `--port-offset takes a whole number from 0 to ${limit}, got ${offset}`)
  }
  const at = (port: number) => port + offset
  return {
    l1: at(7545),
    beacon: at(7546),
    execution: { http: at(8545), ws: at(8546), engine: at(8551), metrics: at(6060) },
    consensus: { p2p: at(9222), rpc: at(9545), metrics: at(7300) },
    validatorExecution: { http: at(18545), ws: at(18546), engine: at(18551), metrics: at(16060) },
    validatorConsensus: { p2p: at(19222), rpc: at(19545), metrics: at(17300) },
    batcher: { metrics: at(7301), admin: at(7311) },
    proposer: { metrics: at(7302), admin: at(7312) },
    bridge: { http: at(8091), metrics: at(7305) },
    faucet: { http: at(8090), metrics: at(7304) },
    platform: { http: at(8000), metrics: at(7308) },
    validatorDuty: { metrics: at(7306) },
    ...(sequencers === 1
      ? {}
      : {
          standbyExecution: { http: at(8555), ws: at(8556), engine: at(8561), metrics: at(6070) },
          standbyConsensus: { p2p: at(9232), rpc: at(9555), metrics: at(7320) },
          conductor: { first: at(8547), second: at(8548), operator: at(8549), metrics: at(7303) },
        }),
  }
}

/** Each port with what it is for, to say which one is taken. */
export function namedPorts(ports: DevnetPorts): readonly (readonly [name: string, port: number])[] {
  return Object.entries(ports).flatMap(([role, value]) =>
    typeof value === 'number'
      ? [[role, value] as const]
      : Object.entries(value as Record<string, number>).map(([use, port]) => [`${role} ${use}`, port] as const),
  )
}

/** With `--port-offset N`, ports are between 8000 + N and 8999 + N, so that offsets 1,000 apart never collide. */
import { DevnetError } from '../devnet-error.ts'

export interface ExecutionPorts {
  readonly http: number
  readonly ws: number
  readonly engine: number
  readonly metrics: number
}
export interface SequencerExecutionPorts extends ExecutionPorts {
  readonly subblocks: number
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
  readonly execution: SequencerExecutionPorts
  readonly consensus: ConsensusPorts
  readonly validatorExecution: ExecutionPorts
  readonly validatorConsensus: ConsensusPorts
  readonly batcher: SubmitterPorts
  readonly proposer: SubmitterPorts
  readonly bridge: ServicePorts
  readonly faucet: ServicePorts
  readonly platform: ServicePorts
  readonly index: ServicePorts
  readonly web: ServicePorts
  readonly validatorDuty: { readonly metrics: number }
  readonly standbyExecution?: ExecutionPorts
  readonly standbyConsensus?: ConsensusPorts
  readonly conductor?: ConductorPorts
}

export const LEAST_PORT_OFFSET = 1_000
const FIRST_MOVED_PORT = 8_000
const HIGHEST_PORT = 65_535
export const HIGHEST_PORT_OFFSET = HIGHEST_PORT - FIRST_MOVED_PORT - LEAST_PORT_OFFSET + 1
/** Replacements for default ports that would collide at offsets from 1,000 to 1,545. */
const OUT_OF_REACH: readonly { readonly port: number; readonly instead: number }[] = [
  { port: 9222, instead: 8998 },
  { port: 9545, instead: 8999 },
]

export function devnetPorts(offset: number, sequencers = 1): DevnetPorts {
  if (offset !== 0 && !(Number.isInteger(offset) && offset >= LEAST_PORT_OFFSET && offset <= HIGHEST_PORT_OFFSET)) {
    const range = `0 or a whole number from ${LEAST_PORT_OFFSET} to ${HIGHEST_PORT_OFFSET}`
    throw new DevnetError('node/usage', `--port-offset takes ${range}, so that no port is above ${HIGHEST_PORT}; got ${offset}`)
  }
  const at = (usual: number, moved = usual) => {
    if (offset === 0) return usual
    return (OUT_OF_REACH.find(({ port }) => port === moved + offset)?.instead ?? moved) + offset
  }
  return {
    l1: at(7545, 8745),
    beacon: at(7546, 8746),
    execution: { http: at(8545), ws: at(8546), subblocks: at(8552), engine: at(8551), metrics: at(6060, 8060) },
    consensus: { p2p: at(9222, 8922), rpc: at(9545, 8945), metrics: at(7300, 8300) },
    validatorExecution: { http: at(8645), ws: at(8646), engine: at(8651), metrics: at(6080, 8081) },
    validatorConsensus: { p2p: at(8942), rpc: at(8965), metrics: at(7330, 8330) },
    batcher: { metrics: at(7301, 8301), admin: at(7311, 8311) },
    proposer: { metrics: at(7302, 8302), admin: at(7312, 8312) },
    bridge: { http: at(8091), metrics: at(7305, 8305) },
    faucet: { http: at(8090), metrics: at(7304, 8304) },
    platform: { http: at(8000), metrics: at(7308, 8308) },
    index: { http: at(8092), metrics: at(7309, 8309) },
    web: { http: at(8080), metrics: at(7310, 8310) },
    validatorDuty: { metrics: at(7306, 8306) },
    ...(sequencers === 1
      ? {}
      : {
          standbyExecution: { http: at(8555), ws: at(8556), engine: at(8561), metrics: at(6070, 8070) },
          standbyConsensus: { p2p: at(8932), rpc: at(8955), metrics: at(7320, 8320) },
          conductor: { first: at(8547), second: at(8548), operator: at(8549), metrics: at(7303, 8303) },
        }),
  }
}

export function namedPorts(ports: DevnetPorts): readonly (readonly [name: string, port: number])[] {
  return Object.entries(ports).flatMap(([role, value]) =>
    typeof value === 'number'
      ? [[role, value] as const]
      : Object.entries(value as Record<string, number>).map(([use, port]) => [`${role} ${use}`, port] as const),
  )
}

import type { DevnetPorts } from '../ports/ports.ts'
import type { DevnetFile } from './devnet-file.ts'

export function serviceHosts(ports: DevnetPorts): ReadonlyMap<number, string> {
  const { l1, beacon, execution, consensus, validatorExecution, validatorConsensus } = ports
  const services: Readonly<Record<string, readonly number[]>> = {
    l1: [l1],
    beacon: [beacon],
    execution: Object.values(execution),
    consensus: Object.values(consensus),
    'validator-execution': Object.values(validatorExecution),
    'validator-consensus': Object.values(validatorConsensus),
    batcher: Object.values(ports.batcher),
    proposer: Object.values(ports.proposer),
    bridge: Object.values(ports.bridge),
    faucet: Object.values(ports.faucet),
    platform: Object.values(ports.platform),
    index: Object.values(ports.index),
    validator: Object.values(ports.validatorDuty),
  }
  return new Map(Object.entries(services).flatMap(([name, listening]) => listening.map((port) => [port, name] as const)))
}

const LOCAL_URL = /^(https?|ws):\/\/127\.0\.0\.1:(\d+)/
const LOCAL_MULTIADDRESS = /^\/ip4\/127\.0\.0\.1\/tcp\/(\d+)/

export function withServiceHosts(facts: DevnetFile, ports: DevnetPorts): DevnetFile {
  const hosts = serviceHosts(ports)
  const rename = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rename)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rename(inner)]))
    if (typeof value !== 'string') return value
    return value
      .replace(LOCAL_URL, (whole, protocol: string, port: string) => {
        const host = hosts.get(Number(port))
        return host === undefined ? whole : `${protocol}://${host}:${port}`
      })
      .replace(LOCAL_MULTIADDRESS, (whole, port: string) => {
        const host = hosts.get(Number(port))
        return host === undefined ? whole : `/dns4/${host}/tcp/${port}`
      })
  }
  return rename(facts) as DevnetFile
}

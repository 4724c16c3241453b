/** The beacon API between machines. Its GET requests travel as calls of JSON-RPC, which is what the simulated network carries. */
import { type BeaconClient, createBeaconClient, createHttpRpcClient } from '@keelson/client'
import type { HttpClient, RpcMethods } from '@keelson/runtime'
import type { BeaconAnswer } from '../l1/beacon-api.ts'
import type { L1Provider } from '../l1/l1-provider.ts'
import { type Host, urlOf } from './host.ts'

export const BEACON_PORT = 5052
const METHOD = 'beacon_get'

export function beaconMethods(provider: L1Provider): RpcMethods {
  return { [METHOD]: ([url]) => provider.beacon(new URL(url as string)) }
}

export function openBeacon(host: Host, machine: string): BeaconClient {
  const { clock, random } = host.process
  const { log, world } = host
  const url = urlOf(machine, BEACON_PORT)
  return createBeaconClient({ urls: [url] }, { kzg: world.kzg, crypto: world.crypto, clock, random, log, http: carrier(host) })
}

function carrier({ http, log, process: { clock, random } }: Host): HttpClient {
  return {
    async send({ url, timeoutMs, maxResponseBytes }) {
      const { origin } = new URL(url)
      const client = createHttpRpcClient({ url: origin, timeoutMs, maxResponseBytes, retry: { attempts: 1 } }, { clock, random, log, http })
      const { status, body } = (await client.call(METHOD, [url])) as BeaconAnswer
      return { status, headers: {}, body: new TextEncoder().encode(JSON.stringify(body)) }
    },
    close: () => undefined,
  }
}

import type { HeadsDocument, NetworkDocument } from '../../shared/network-document.ts'
import { setNetworkTime } from './browser-clock.ts'
import { getJson } from './get-json.ts'
import { useQuery } from './use-query.ts'

const HEADS_MS = 1_000
const NETWORK_MS = 4_000

export function useHeads() {
  return useQuery('heads', () => timed(getJson<HeadsDocument>('/api/network/heads')), HEADS_MS)
}

export function useNetwork() {
  return useQuery('network', () => timed(getJson<NetworkDocument>('/api/network')), NETWORK_MS)
}

async function timed<T extends { readonly timeMs: number }>(asked: Promise<T>): Promise<T> {
  const answer = await asked
  setNetworkTime(answer.timeMs)
  return answer
}

import type { AbiDocument } from '../../shared/abi-document.ts'
import { getJson } from './get-json.ts'
import { useQuery } from './use-query.ts'

export function useAbis(): AbiDocument | null {
  return useQuery('abis', () => getJson<AbiDocument>('/abis.json')).data
}

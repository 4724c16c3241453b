/** Ignores unknown keys, which a later release may have written. */
import { CodecError, parseAddress, parseJsonArray, parseJsonObject, parseOptional } from '@keelson/primitives'
import type { StakingParameters } from '../genesis/staking-parameters.ts'
import type { KeelsonFile } from './network-files.ts'
import type { AnnouncedFork, PublicNetwork } from './public-network.ts'

type Parse<T> = (value: unknown, what: string) => T

export function parseKeelsonFile(json: unknown): KeelsonFile {
  const file = parseJsonObject(json, 'the document')
  const given = <T>(key: keyof KeelsonFile, parse: Parse<T>) => {
    const value = parseOptional(file[key], key, parse)
    return value === null ? {} : { [key]: value }
  }
  return {
    ...given('currencySymbol', text),
    ...given('fork', text),
    ...given('l1Fork', text),
    ...given('staking', (value, what) => parseJsonObject(value, what) as Partial<StakingParameters>),
    ...given('l1Chain', chainName),
    ...given('publicNetwork', parsePublicNetwork),
    // A header that does not match rollup.json is ignored.
    ...given('genesisHeader', text),
  }
}

function parsePublicNetwork(value: unknown, what: string): PublicNetwork {
  const network = parseJsonObject(value, what)
  const read = <T>(key: keyof PublicNetwork, parse: Parse<T>): T => parse(network[key], `${what}.${key}`)
  const optional = <T>(key: keyof PublicNetwork, parse: Parse<T>): T | null => parseOptional(network[key], `${what}.${key}`, parse)
  return {
    name: read('name', text),
    superchain: read('superchain', text),
    governedByOptimism: read('governedByOptimism', flag),
    publicRpc: optional('publicRpc', httpUrl),
    sequencerRpc: optional('sequencerRpc', httpUrl),
    explorer: optional('explorer', httpUrl),
    unsafeBlockSigner: optional('unsafeBlockSigner', parseAddress),
    bootnodes: read('bootnodes', (list, at) => parseJsonArray(list, at, text)),
    state: read('state', firstState),
    leftRegistry: optional('leftRegistry', (left, at) => {
      const { noticedOn, source, laterForks } = parseJsonObject(left, at)
      return {
        noticedOn: text(noticedOn, `${at}.noticedOn`),
        source: httpUrl(source, `${at}.source`),
        laterForks: parseOptional(laterForks, `${at}.laterForks`, parseAnnouncedForks) ?? [],
      }
    }),
    source: read('source', (source, at) => {
      const { repository, commit, chain, also } = parseJsonObject(source, at)
      return {
        repository: httpUrl(repository, `${at}.repository`),
        commit: text(commit, `${at}.commit`),
        chain: text(chain, `${at}.chain`),
        ...(also === undefined ? {} : { also: text(also, `${at}.also`) }),
      }
    }),
  }
}

const parseAnnouncedForks: Parse<readonly AnnouncedFork[]> = (value, what) =>
  parseJsonArray(value, what, (entry, place) => {
    const { name, at, source } = parseJsonObject(entry, place)
    return { name: text(name, `${place}.name`), at: utcDate(at, `${place}.at`), source: text(source, `${place}.source`) }
  })

const utcDate: Parse<string> = (value, what) => {
  const date = text(value, what)
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(date) && Number.isFinite(Date.parse(date))) return date
  throw new CodecError('codec/json', `${what}: expected a time such as 2026-11-05T18:00:00Z`)
}

const text: Parse<string> = (value, what) => {
  if (typeof value === 'string' && value !== '') return value
  throw new CodecError('codec/json', `${what}: expected text`)
}

const flag: Parse<boolean> = (value, what) => {
  if (typeof value === 'boolean') return value
  throw new CodecError('codec/json', `${what}: expected true or false`)
}

const chainName: Parse<string> = (value, what) => {
  const name = text(value, what)
  if (/^[a-z0-9-]+$/.test(name)) return name
  throw new CodecError('codec/json', `${what}: expected a name such as sepolia`)
}

const httpUrl: Parse<string> = (value, what) => {
  const url = text(value, what)
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url
  throw new CodecError('codec/json', `${what}: expected a URL with http:// or https://`)
}

const firstState: Parse<PublicNetwork['state']> = (value, what) => {
  if (value === 'genesis' || value === 'snapshot') return value
  throw new CodecError('codec/json', `${what}: expected "genesis" or "snapshot"`)
}

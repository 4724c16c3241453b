/** Where a conductor keeps its record, and how to reach etcd. */
import { readFileSync } from 'node:fs'
import { createEtcdClient, type EtcdClient } from '@keelson/conductor'
import { messageOf } from '@keelson/primitives'
import {
  createHttpClient,
  type HttpClient,
  type OptionValues,
  option,
  optionalOption,
  optionParsers as parse,
  Secret,
} from '@keelson/runtime'
import { AssemblyError } from '../errors.ts'

export type StoreAddress = { readonly kind: 'disk' } | { readonly kind: 'etcd'; readonly endpoints: readonly string[] }

export const DISK: StoreAddress = { kind: 'disk' }
const MAX_ENDPOINTS = 9
const MEMBER = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/

export const storeAddress = Object.assign(
  (value: unknown): StoreAddress => {
    const text = parse.text(value)
    if (text === 'disk') return DISK
    const [, scheme, list = ''] = /^(etcds?):\/\/([^/]+)\/?$/.exec(text) ?? []
    const members = list.split(',')
    if (scheme === undefined || members.length > MAX_ENDPOINTS || !members.every((member) => MEMBER.test(member))) {
      throw new parse.OptionValueError(
        `expected disk, or etcd://HOST:PORT,HOST:PORT with at most ${MAX_ENDPOINTS} members (etcds:// with TLS), got "${text.replace(/\/\/[^@]*@/, '//***@').slice(0, 80)}"; the user and the password have options of their own`,
      )
    }
    return { kind: 'etcd', endpoints: members.map((member) => `${scheme === 'etcds' ? 'https' : 'http'}://${member}`) }
  },
  {
    placeholder: '<disk|etcd://host:port,...>',
    schema: parse.text.schema,
    show: (address: StoreAddress) => (address.kind === 'disk' ? 'disk' : address.endpoints.join(',')),
  },
)

/** How to reach etcd. */
export const etcdOptions = {
  storeCa: optionalOption({
    key: 'store.ca',
    parse: parse.path,
    description: "Certificates (PEM) that sign those of etcd. Default: the system's.",
  }),
  storeCert: optionalOption({ key: 'store.cert', parse: parse.path, description: 'Client certificate (PEM) for etcd.' }),
  storeKey: optionalOption({ key: 'store.key', parse: parse.path, description: 'Private key (PEM) of --store.cert.' }),
  storeUser: optionalOption({ key: 'store.user', parse: parse.text, description: 'User of etcd.' }),
  storePasswordFile: optionalOption({
    key: 'store.passwordFile',
    parse: parse.path,
    description: 'File with the password of --store.user.',
  }),
  storeTimeout: option({
    key: 'store.timeout',
    parse: parse.duration(50, 60_000),
    default: 500,
    description: 'How long one member of etcd may take for an answer before the next is asked; at most half of --store.lease-ttl.',
  }),
} as const

export interface EtcdAddress {
  readonly endpoints: readonly string[]
  readonly options: OptionValues<typeof etcdOptions>
}

export interface EtcdConnection {
  readonly client: EtcdClient
  readonly http: HttpClient
}

/** Throws AssemblyError `node/usage` for files that cannot be read and options that do not fit. */
export function connectEtcd(
  { endpoints, options: values }: EtcdAddress,
  around: (http: HttpClient) => HttpClient = (http) => http,
): EtcdConnection {
  const { storeCa, storeCert, storeKey, storeUser, storePasswordFile } = values
  const tls = { ca: readOption('store.ca', storeCa), cert: readOption('store.cert', storeCert), key: readOption('store.key', storeKey) }
  if (Object.values(tls).some((file) => file !== undefined) && endpoints.some((endpoint) => endpoint.startsWith('http:')))
    throw new AssemblyError('node/usage', '--store.ca, --store.cert and --store.key need TLS: write --store etcds://...')
  if ((storeCert === null) !== (storeKey === null)) throw new AssemblyError('node/usage', 'expected --store.cert and --store.key together')
  if ((storeUser === null) !== (storePasswordFile === null))
    throw new AssemblyError('node/usage', 'expected --store.user and --store.password-file together')
  const [password = ''] = (readOption('store.password-file', storePasswordFile) ?? '').split(/\r?\n/, 1)
  const http = around(createHttpClient({ tls }))
  const credentials = storeUser === null ? null : { user: storeUser, password: new Secret(password) }
  return { client: createEtcdClient({ endpoints, credentials, timeoutMs: values.storeTimeout }, http), http }
}

function readOption(name: string, path: string | null): string | undefined {
  if (path === null) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new AssemblyError('node/usage', `--${name}: cannot read ${path}: ${messageOf(error)}`)
  }
}

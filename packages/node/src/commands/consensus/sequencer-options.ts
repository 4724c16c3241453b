import type { HttpRpcClientOptions } from '@keelson/client'
import {
  type BlockProver,
  type BlockSigner,
  type Conductor,
  createConductorClient,
  createLocalBlockSigner,
  createRemoteBlockSigner,
  DEFAULT_SEQUENCER_OPTIONS,
  type SequencerOptions,
  SOLE_CONDUCTOR,
} from '@keelson/consensus'
import type { Address } from '@keelson/primitives'
import {
  createJwt,
  createSystemClock,
  loadJwtSecret,
  type OptionValues,
  option,
  optionalOption,
  optionParsers as parse,
} from '@keelson/runtime'
import type { Role } from '../../role/role.ts'

const MINUTE_MS = 60_000

type ConsensusRole = 'sequencer' | 'follower'

export const roleOption = option<ConsensusRole>({
  key: 'role',
  alias: {
    flag: 'sequencer.enabled',
    parse: Object.assign((value: unknown): ConsensusRole => (parse.toggle(value) ? 'sequencer' : 'follower'), {
      schema: parse.toggle.schema,
      isSwitch: true,
    }),
  },
  parse: parse.oneOf('sequencer', 'follower'),
  default: 'follower',
  description: 'A sequencer makes blocks, a follower derives and checks them.',
})

export const sequencerOptions = {
  p2pSignerKey: optionalOption({
    key: 'p2p.signerKey',
    alias: 'p2p.sequencer.key',
    parse: parse.privateKey,
    secret: true,
    description: 'Key a sequencer signs its blocks with.',
  }),
  p2pSignerEndpoint: optionalOption({
    key: 'p2p.signer.endpoint',
    alias: 'signer.endpoint',
    parse: parse.httpUrl,
    description: 'Service that signs blocks (opsigner_signBlockPayload) in place of a key.',
  }),
  p2pSignerAddress: optionalOption({
    key: 'p2p.signer.address',
    alias: 'signer.address',
    parse: parse.address,
    description: 'Account that this service signs as.',
  }),
  p2pSignerTimeout: option({
    key: 'p2p.signer.timeout',
    parse: parse.duration(10, MINUTE_MS),
    default: 1_000,
    description: 'How long this service may take for a signature.',
  }),
  l1Confirmations: option({
    key: 'sequencer.l1Confirmations',
    alias: 'sequencer.l1-confs',
    parse: parse.integer(0, 1000),
    default: DEFAULT_SEQUENCER_OPTIONS.l1Confirmations,
    description: 'L1 blocks above an origin before the sequencer takes it.',
  }),
  maxSafeLag: option({
    key: 'sequencer.maxSafeLag',
    parse: parse.integer(0),
    default: 0,
    description: 'Stop making blocks when this many are not safe yet; 0 never.',
  }),
  sequencerStopped: option({
    key: 'sequencer.stopped',
    parse: parse.toggle,
    default: false,
    description: 'Wait for admin_startSequencer.',
  }),
  sequencerRecover: option({
    key: 'sequencer.recover',
    parse: parse.toggle,
    default: false,
    description: 'Begin in recover mode: no transactions of the pool, the next L1 origin as soon as there is one.',
  }),
  conductorEnabled: option({
    key: 'conductor.enabled',
    parse: parse.toggle,
    default: false,
    description: 'One of several sequencers: a conductor starts it, and records each block before it is gossiped.',
  }),
  conductorRpc: option({
    key: 'conductor.rpc',
    parse: parse.httpUrl,
    default: 'http://127.0.0.1:8547',
    description: 'Conductor of this sequencer: keelson conductor, or op-conductor.',
  }),
  conductorJwtSecret: optionalOption({
    key: 'conductor.jwtSecret',
    parse: parse.path,
    description: 'File with the secret this sequencer shares with keelson conductor, created when missing; op-conductor needs none.',
  }),
  conductorTimeout: option({
    key: 'conductor.rpcTimeout',
    parse: parse.duration(10, MINUTE_MS),
    default: 1_000,
    description: 'How long the conductor may take for an answer.',
  }),
} as const

export interface Sequencing {
  readonly options: SequencerOptions
  readonly conductor: Conductor
  readonly signer: (BlockSigner & { readonly address: Address }) | null
}

type SequencerValues = OptionValues<typeof sequencerOptions> & { readonly role: ConsensusRole }

export function sequencerContradictions(values: SequencerValues): readonly string[] {
  const { p2pSignerKey: key, p2pSignerEndpoint: endpoint, p2pSignerAddress: address } = values
  const mistakes: string[] = []
  if (values.role !== 'sequencer') {
    const given = {
      '--conductor.enabled': values.conductorEnabled,
      '--p2p.signer-key': key !== null,
      '--p2p.signer.endpoint': endpoint !== null,
      '--p2p.signer.address': address !== null,
      '--sequencer.l1-confirmations': values.l1Confirmations !== sequencerOptions.l1Confirmations.default,
      '--sequencer.max-safe-lag': values.maxSafeLag > 0,
      '--sequencer.stopped': values.sequencerStopped,
      '--sequencer.recover': values.sequencerRecover,
    }
    for (const [flag, isGiven] of Object.entries(given))
      if (isGiven) mistakes.push(`${flag} is for sequencers: give --role sequencer too, or leave it out`)
    return mistakes
  }
  if (key !== null && endpoint !== null)
    mistakes.push('a sequencer signs with --p2p.signer-key or through --p2p.signer.endpoint: give one of them')
  if (endpoint !== null && address === null)
    mistakes.push('--p2p.signer.endpoint needs --p2p.signer.address: the account that L1 names as unsafeBlockSigner')
  if (endpoint === null && address !== null)
    mistakes.push('--p2p.signer.address is of the service at --p2p.signer.endpoint: give that too, or leave it out')
  return mistakes
}

export function missingSignerWarning(values: SequencerValues & { readonly p2pEnabled: boolean }): string | null {
  if (values.role !== 'sequencer' || !values.p2pEnabled || values.p2pSignerKey !== null || values.p2pSignerEndpoint !== null) return null
  return 'no key to sign blocks with: blocks of this sequencer are not gossiped; give --p2p.signer-key or --p2p.signer.endpoint'
}

/** Throws ConsensusError `consensus/block-signer`. */
export async function openSequencing(values: SequencerValues, role: Role, chainId: bigint): Promise<Sequencing> {
  const signer = await openBlockSigner(values, role, chainId)
  return {
    options: {
      ...DEFAULT_SEQUENCER_OPTIONS,
      l1Confirmations: values.l1Confirmations,
      maxSafeLagBlocks: values.maxSafeLag,
      stopped: values.sequencerStopped,
      recover: values.sequencerRecover,
    },
    conductor: values.conductorEnabled ? await openConductor(values, role, signer === null ? null : { chainId, signer }) : SOLE_CONDUCTOR,
    signer,
  }
}

async function openConductor(values: SequencerValues, role: Role, prover: BlockProver | null): Promise<Conductor> {
  const { conductorRpc: url, conductorTimeout: timeoutMs, conductorJwtSecret: path } = values
  if (path === null) return createConductorClient(oneAttempt(role, url, timeoutMs).call, prover)
  const { secret, warning } = await loadJwtSecret(path, { create: true })
  if (warning !== null) role.log.warn(warning)
  const systemClock = createSystemClock()
  const headers = async () => ({ authorization: `Bearer ${await createJwt(secret, systemClock)}` })
  return createConductorClient(oneAttempt(role, url, timeoutMs, headers).call, prover)
}

async function openBlockSigner(values: SequencerValues, role: Role, chainId: bigint): Promise<Sequencing['signer']> {
  const { p2pSignerKey: key, p2pSignerEndpoint: endpoint, p2pSignerAddress: address } = values
  if (endpoint === null || address === null) return key === null ? null : createLocalBlockSigner(role.crypto, key.reveal())
  const { host, call } = oneAttempt(role, endpoint, values.p2pSignerTimeout)
  const signer = createRemoteBlockSigner({ address, host }, { call, crypto: role.crypto })
  await signer.check(chainId)
  role.log.info('blocks are signed by a service', { host, address })
  return signer
}

function oneAttempt(role: Role, url: string, timeoutMs: number, headers?: HttpRpcClientOptions['headers']) {
  const rpc = role.rpc(url, { timeoutMs, ...(headers === undefined ? {} : { headers }) })
  return { host: rpc.host, call: (method: string, params: readonly unknown[]) => rpc.call(method, params, { retry: false }) }
}

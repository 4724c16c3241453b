import { ethParameters } from '@keelson/chainspec'
import {
  executeBlock,
  OMMER_GENERATIONS,
  type OmmerAncestor,
  validateBody,
  validateDaoExtraData,
  validateHeader,
  validateOmmers,
  verifyExecution,
} from '@keelson/evm'
import {
  type Block,
  CodecError,
  decodeBlock,
  decodeHeader,
  type GenesisAccount,
  type Hash,
  type Header,
  hashHeader,
  hexToBytes,
  type RlpInput,
  recoverSender,
  rlpDecode,
  rlpEncode,
  rlpList,
  toHash,
} from '@keelson/primitives'
import { computeGenesisState, createMemoryKeyValueStore, openStateStore, type StateStore, type StateView } from '@keelson/state'
import { createNativeCrypto } from '../../packages/node/src/crypto/native-crypto.ts'
import { pairingCurves } from '../support/pairing-curves.ts'
import { syncKzg } from '../support/sync-kzg.ts'
import { createTestEngine } from '../support/test-engine.ts'
import type { TestNetwork } from './networks.ts'
import { assertOpinion, wantsOpinion } from './opinion.ts'
import type { Refusal } from './refusals.ts'

interface ChainBlock extends OmmerAncestor {
  readonly totalDifficulty: bigint
}
interface DecodedBlock {
  readonly block: Block
  readonly ommers: readonly Header[]
}

const CHAIN_ID = 1n
const crypto = createNativeCrypto()
const engine = createTestEngine({ crypto, kzg: syncKzg, curves: pairingCurves })

export class L1Chain {
  private readonly network: TestNetwork
  private readonly state: StateStore
  private readonly blocks = new Map<Hash, ChainBlock>()
  private headBlock: ChainBlock

  private constructor(network: TestNetwork, state: StateStore, genesis: ChainBlock) {
    this.network = network
    this.state = state
    this.blocks.set(genesis.hash, genesis)
    this.headBlock = genesis
  }

  static async open(network: TestNetwork, header: Header, alloc: readonly GenesisAccount[]): Promise<L1Chain> {
    const state = await openStateStore(createMemoryKeyValueStore())
    const genesis = computeGenesisState(alloc)
    if (genesis.stateRoot !== header.stateRoot) throw new Error(`genesis: expected state ${header.stateRoot}, got ${genesis.stateRoot}`)
    const hash = hashHeader(header)
    await state.initGenesis(genesis, { hash, number: header.number })
    return new L1Chain(network, state, { hash, header, ommerHashes: [], totalDifficulty: header.difficulty })
  }

  get head(): OmmerAncestor {
    return this.headBlock
  }

  async add(raw: Uint8Array): Promise<Refusal | null> {
    const decoded = decode(raw)
    if ('reason' in decoded) return decoded
    const { block, ommers } = decoded
    const parent = this.blocks.get(block.header.parentHash)
    const view = this.state.viewAt(block.header.parentHash)
    if (parent === undefined || view === null) return { reason: 'parent', message: 'unknown parent' }
    const problem = this.validate(decoded, parent) ?? (await this.execute(raw, decoded, parent, view))
    if (problem !== null) return problem
    const { hash, header } = block
    const added = { hash, header, ommerHashes: ommers.map(hashHeader), totalDifficulty: parent.totalDifficulty + header.difficulty }
    this.blocks.set(hash, added)
    if (header.difficulty === 0n || added.totalDifficulty > this.headBlock.totalDifficulty) this.headBlock = added
    return null
  }

  private rulesAt(header: Header, parent: ChainBlock) {
    return this.network.rulesAt(header, parent.totalDifficulty)
  }

  private validate({ block, ommers }: DecodedBlock, parent: ChainBlock): Refusal | null {
    const { header } = block
    const { daoForkBlock } = this.network
    const ommerRules = (ommer: Header) => {
      const ommerParent = this.blocks.get(ommer.parentHash)
      return this.rulesAt(ommer, ommerParent ?? parent)
    }
    const ancestors = this.ancestors(parent, OMMER_GENERATIONS)
    const daoProblems = daoForkBlock === null ? [] : [header, ...ommers].map((each) => validateDaoExtraData(each, daoForkBlock))
    return (
      validateHeader(header, parent.header, this.rulesAt(header, parent)) ??
      daoProblems.find((problem) => problem !== null) ??
      validateOmmers(header, ommers, ancestors, ommerRules)
    )
  }

  /** Roots are checked last, because many invalid tests leave the body's roots wrong too. */
  private async execute(raw: Uint8Array, { block, ommers }: DecodedBlock, parent: ChainBlock, view: StateView): Promise<Refusal | null> {
    const { hash, header, transactions, withdrawals } = block
    const rules = this.rulesAt(header, parent)
    const { lowSignatures } = ethParameters(rules.ethFork)
    const senders = transactions.map((tx) => recoverSender(tx, crypto, lowSignatures))
    if (senders.includes(null)) return { reason: 'sender', message: 'a transaction without a sender' }
    const movesDaoBalances = header.number === this.network.daoForkBlock
    const recorder = wantsOpinion && !movesDaoBalances ? this.state.recordAt(parent.hash) : null
    let oldest = parent.header.number
    const outcome = executeBlock({
      engine,
      view: recorder?.view ?? view,
      header,
      rules,
      transition: null,
      chainId: CHAIN_ID,
      crypto,
      blockHash: (number) => {
        oldest = Math.min(oldest, number)
        return this.ancestorHash(parent, number)
      },
      withdrawals,
      ommers: ommers.map(({ number, feeRecipient }) => ({ number, feeRecipient: hexToBytes(feeRecipient) })),
      movesDaoBalances,
      rootOf: (diff) => toHash((recorder?.rootOf(diff) ?? this.state.rootOf(parent.hash, diff)).root),
      transactions,
      senders: senders as Uint8Array[],
    })
    if (outcome.kind === 'invalid') return { reason: outcome.reason, message: outcome.message }
    const problem = verifyExecution(header, outcome.result) ?? validateBody(header, { ...block, ommers }, rules)
    if (problem !== null) return problem
    const { diff } = outcome.result
    const computed = this.state.rootOf(parent.hash, diff)
    const root = toHash(computed.root)
    if (root !== header.stateRoot) return { reason: 'state-root', message: `expected ${root}, got ${header.stateRoot}` }
    if (recorder !== null) {
      recorder.rootOf(diff)
      const ancestors = this.ancestors(parent, parent.header.number - Math.max(oldest, 0) + 1).map((each) => each.header)
      await assertOpinion({ block: raw, recorder, ancestors: ancestors.reverse(), rules, transition: null, chainId: CHAIN_ID })
    }
    this.state.stageLayer({ hash, parentHash: parent.hash, number: header.number, diff, computed }).publish()
    return null
  }

  private ancestors(block: ChainBlock, count: number): ChainBlock[] {
    const found: ChainBlock[] = []
    for (let at: ChainBlock | undefined = block; at !== undefined && found.length < count; at = this.blocks.get(at.header.parentHash))
      found.push(at)
    return found
  }

  private ancestorHash(block: ChainBlock, number: number): Hash | null {
    return this.ancestors(block, block.header.number - number + 1).find((each) => each.header.number === number)?.hash ?? null
  }
}

function decode(raw: Uint8Array): DecodedBlock | Refusal {
  try {
    const block = decodeBlock(raw)
    const ommers = rlpList(rlpList(rlpDecode(raw), 'block')[2], 'ommers')
    return { block, ommers: ommers.map((ommer) => decodeHeader(rlpEncode(ommer as RlpInput))) }
  } catch (error) {
    if (error instanceof CodecError) return { reason: error.code, message: error.message }
    throw error
  }
}

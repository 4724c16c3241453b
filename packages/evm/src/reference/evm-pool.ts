/** Building an instance costs more than a transfer. */
import type { CustomCrypto } from '@ethereumjs/common'
import type { EVM, EVMOpts } from '@ethereumjs/evm'
import type { BlockRules } from '@keelson/chainspec'
import { type Bytes20, type Crypto, hexToBytes, keccak256, type PairingCurves, type SyncKzgVerifier } from '@keelson/primitives'
import { bytesKey } from '../journal/byte-key.ts'
import { useOwnCopies } from './copy-operations.ts'
import { DelegatingEvm } from './delegating-evm.ts'
import { type EngineCurves, engineCurves } from './engine-curves.ts'
import { JumpAnalyses } from './jump-analysis.ts'
import { type CustomPrecompile, createPrecompiles } from './op-precompiles.ts'
import { RuleCommon } from './rule-common.ts'
import { runStraight } from './straight-run.ts'
import { readOnlyPaidReverts } from './unpaid-revert.ts'

const MAX_IDLE = 16
const MAX_CHAINS_PER_RULES = 8
const analyses = new JumpAnalyses()

export interface EvmPool {
  readonly precompiles: readonly Bytes20[]
  readonly precompileKeys: ReadonlySet<string>
  acquire(unlimitedCodeSize: boolean): EVM
  /** Do not release an instance that threw. */
  release(evm: EVM, unlimitedCodeSize: boolean): void
}

export interface EvmPools {
  poolFor(rules: BlockRules, chainId: bigint): EvmPool
}

export function createEvmPools(crypto: Crypto, kzg: SyncKzgVerifier | null, pairingCurves: PairingCurves | null): EvmPools {
  const curves = engineCurves(pairingCurves)
  const customCrypto: CustomCrypto = { keccak256, sha256: (data) => crypto.sha256(data) }
  const pools = new WeakMap<BlockRules, Map<bigint, EvmPool>>()
  return {
    poolFor(rules, chainId) {
      let byChain = pools.get(rules)
      if (byChain === undefined) {
        byChain = new Map()
        pools.set(rules, byChain)
      }
      let pool = byChain.get(chainId)
      if (pool === undefined) {
        if (byChain.size >= MAX_CHAINS_PER_RULES) byChain.clear()
        const common = new RuleCommon(rules, chainId, customCrypto)
        pool = createPool(common, createPrecompiles(rules, common, crypto, kzg), curves)
        byChain.set(chainId, pool)
      }
      return pool
    },
  }
}

function createPool(common: RuleCommon, customPrecompiles: CustomPrecompile[], curves: EngineCurves): EvmPool {
  const idle: { readonly limited: EVM[]; readonly unlimited: EVM[] } = { limited: [], unlimited: [] }
  const build = (unlimited: boolean): EVM => {
    const options = {
      common,
      customPrecompiles,
      ...curves,
      allowUnlimitedContractSize: unlimited,
      allowUnlimitedInitCodeSize: unlimited,
      stateManager: {},
      blockchain: {},
    }
    const evm = new DelegatingEvm(options as unknown as EVMOpts)
    useOwnCopies(evm)
    readOnlyPaidReverts(evm)
    runStraight(evm, analyses)
    return evm
  }
  const first = build(false)
  idle.limited.push(first)
  const precompiles = [...first.precompiles].filter(([, run]) => run !== undefined).map(([hex]) => hexToBytes(`0x${hex}`))
  return {
    precompiles,
    precompileKeys: new Set(precompiles.map(bytesKey)),
    acquire: (unlimited) => (unlimited ? idle.unlimited : idle.limited).pop() ?? build(unlimited),
    release(evm, unlimited) {
      const list = unlimited ? idle.unlimited : idle.limited
      if (list.length < MAX_IDLE) list.push(evm)
    },
  }
}

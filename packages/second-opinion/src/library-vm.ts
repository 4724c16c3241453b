/** The unpatched library's VM for one block. */
import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import type { EVMMockBlockchainInterface } from '@ethereumjs/evm'
import { hexToBytes, type KZG, type PrefixedHexString } from '@ethereumjs/util'
import { createVM, type VM } from '@ethereumjs/vm'
import type { BlockRules, EthFork } from '@keelson/chainspec'
import { SecondOpinionError } from './errors.ts'
import { opPrecompiles } from './precompiles.ts'
import type { Ancestors } from './witness.ts'
import { witnessOpcodes } from './witness-opcodes.ts'
import type { WitnessState } from './witness-state.ts'

const HARDFORKS: Readonly<Partial<Record<EthFork, string>>> = {
  frontier: Hardfork.Chainstart,
  homestead: Hardfork.Homestead,
  tangerine: Hardfork.TangerineWhistle,
  spurious: Hardfork.SpuriousDragon,
  byzantium: Hardfork.Byzantium,
  constantinople: Hardfork.Constantinople,
  petersburg: Hardfork.Petersburg,
  istanbul: Hardfork.Istanbul,
  berlin: Hardfork.Berlin,
  london: Hardfork.London,
  paris: Hardfork.Paris,
  shanghai: Hardfork.Shanghai,
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
  osaka: Hardfork.Osaka,
}

/** EIP-4844 verifier. Returns false for points that cannot be decoded. */
export interface KzgVerifier {
  verifyProof(commitment: Uint8Array, z: Uint8Array, y: Uint8Array, proof: Uint8Array): boolean
}

export interface LibraryVmOptions {
  readonly rules: BlockRules
  readonly chainId: bigint
  readonly ancestors: Ancestors
  readonly state: WitnessState
  readonly kzg: KzgVerifier
}

/** Throws `second-opinion/misuse` for a fork that the library does not have. */
export function createLibraryCommon({ rules, chainId, kzg }: Omit<LibraryVmOptions, 'ancestors' | 'state'>): {
  readonly common: Common
  /** Rethrows an error of the KZG verifier, which the library treats as an invalid proof. */
  assertKzg(): void
} {
  const hardfork = HARDFORKS[rules.ethFork]
  if (hardfork === undefined) {
    throw new SecondOpinionError('second-opinion/misuse', `rules of ${rules.ethFork}: expected a fork from frontier to osaka`)
  }
  const failures: unknown[] = []
  const customCrypto = { kzg: asLibraryKzg(kzg, (error) => failures.push(error)) }
  return {
    common: createCustomCommon({ chainId: Number(chainId) }, Mainnet, { hardfork, customCrypto }),
    assertKzg() {
      if (failures.length > 0) throw failures[0]
    },
  }
}

export async function createLibraryVm(common: Common, { rules, ancestors, state }: LibraryVmOptions): Promise<VM> {
  const blockchain: EVMMockBlockchainInterface = {
    getBlock: async (number) => ({ hash: () => ancestors.hashOf(number) }),
    putBlock: async () => undefined,
    shallowCopy: () => blockchain,
  }
  const precompiles = rules.chain === 'op' ? { customPrecompiles: opPrecompiles(rules, common) } : {}
  const evmOpts = { common, stateManager: state, blockchain, customOpcodes: witnessOpcodes(common), ...precompiles }
  return createVM({ common, stateManager: state, evmOpts })
}

function asLibraryKzg(kzg: KzgVerifier, onFailure: (error: unknown) => void): KZG {
  const verifyProof = (...points: string[]) => {
    const [commitment, z, y, proof] = points.map((point) => hexToBytes(point as PrefixedHexString)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    try {
      return kzg.verifyProof(commitment, z, y, proof)
    } catch (error) {
      onFailure(error)
      throw error
    }
  }
  return { verifyProof } satisfies Partial<KZG> as unknown as KZG
}

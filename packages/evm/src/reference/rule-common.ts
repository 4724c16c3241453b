import { Common, type CustomCrypto, Mainnet, type ParamsDict } from '@ethereumjs/common'
import type { BlockRules, EthFork } from '@keelson/chainspec'
import { EvmError } from '../errors.ts'

const HARDFORK_NAMES: Readonly<Partial<Record<EthFork, string>>> = {
  frontier: 'chainstart',
  homestead: 'homestead',
  tangerine: 'tangerineWhistle',
  spurious: 'spuriousDragon',
  byzantium: 'byzantium',
  constantinople: 'constantinople',
  petersburg: 'petersburg',
  istanbul: 'istanbul',
  berlin: 'berlin',
  london: 'london',
  paris: 'paris',
  shanghai: 'shanghai',
  cancun: 'cancun',
  prague: 'prague',
  osaka: 'osaka',
}
const REQUEST_EIPS = [6110, 7002, 7251]
const EIP_TABLE_SIZE = 10_000

function hardforkName(fork: EthFork): string {
  const name = HARDFORK_NAMES[fork]
  if (name !== undefined) return name
  throw new EvmError(
    'evm/misuse',
    `this release does not execute blocks of L1 fork ${fork}: it follows such an L1 and sends transactions to it; ` +
      'simulate L1 under osaka or an earlier fork',
    { fork },
  )
}

export class RuleCommon extends Common {
  // The base constructor reads these fields before they are set.
  private readonly ruleChainId: bigint
  private readonly active: Uint8Array | undefined
  private readonly atLeast: Map<string, boolean> | undefined
  private readonly paramValues: Map<string, bigint> | undefined

  constructor(rules: BlockRules, chainId: bigint, customCrypto: CustomCrypto) {
    super({ chain: Mainnet, hardfork: hardforkName(rules.ethFork), customCrypto })
    this.ruleChainId = chainId
    const active = new Uint8Array(EIP_TABLE_SIZE)
    for (const eip of this._activatedEIPsCache) active[eip] = 1
    if (rules.requests !== 'list') for (const eip of REQUEST_EIPS) active[eip] = 0
    this.active = active
    this.atLeast = new Map()
    this.paramValues = new Map()
  }

  override chainId(): bigint {
    return this.ruleChainId
  }

  override isActivatedEIP(eip: number): boolean {
    return this.active === undefined ? super.isActivatedEIP(eip) : this.active[eip] === 1
  }

  override eips(): number[] {
    return super.eips().filter((eip) => this.isActivatedEIP(eip))
  }

  override gteHardfork(hardfork: string): boolean {
    if (this.atLeast === undefined) return super.gteHardfork(hardfork)
    let answer = this.atLeast.get(hardfork)
    if (answer === undefined) {
      answer = super.gteHardfork(hardfork)
      this.atLeast.set(hardfork, answer)
    }
    return answer
  }

  override updateParams(params: ParamsDict): void {
    super.updateParams(params)
    this.paramValues?.clear()
  }

  override param(name: string): bigint {
    let value = this.paramValues?.get(name)
    if (value === undefined) {
      value = super.param(name)
      this.paramValues?.set(name, value)
    }
    return value
  }

  override consensusType(): string {
    return 'pos'
  }

  override consensusAlgorithm(): string {
    return 'casper'
  }
}

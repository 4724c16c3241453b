/** Visits every validator each epoch. A rejected operation returns the error's name. */
import type { StakingParameters } from './staking-contract.ts'

export interface ModelValidator {
  stake: bigint
  unbonding: bigint
  availableAt: number
  rewards: bigint
  slashed: boolean
  ejected: boolean
  openOffences: number
  payout: string | null
  silent: number
  daysPaid: number
  /** Epoch in which the validator returned after an ejection; silence counts from the next epoch on. */
  pardonedEpoch: number
  /** Epoch of the latest charge for an hour of lateness. */
  lateChargedIn: number
  readonly weights: Map<number, bigint>
  readonly attested: Map<number, boolean>
  readonly uncredited: number[]
}

interface ModelEpoch {
  readonly attesters: number[]
  reward: bigint
  left: bigint
  uncredited: number
}

interface Invalid {
  charged: bigint
  closed: boolean
}

type Refused = string | null

export class StakingModel {
  readonly validators: ModelValidator[]
  readonly epochs = new Map<number, ModelEpoch>()
  readonly invalid = new Map<string, Invalid>()
  readonly paid = new Map<string, bigint>()
  private readonly noted = new Map<string, string>()
  pool = 0n
  owed = 0n
  pot = 0n
  private block: number
  private openEpoch: number | null = null
  private readonly parameters: StakingParameters

  constructor(parameters: StakingParameters, count: number, block: number) {
    this.parameters = parameters
    this.block = block
    this.validators = Array.from({ length: count }, () => ({
      stake: 0n,
      unbonding: 0n,
      availableAt: 0,
      rewards: 0n,
      slashed: false,
      ejected: false,
      openOffences: 0,
      payout: null,
      silent: 0,
      daysPaid: 0,
      pardonedEpoch: -1,
      lateChargedIn: 0,
      weights: new Map(),
      attested: new Map(),
      uncredited: [],
    }))
  }

  advance(block: number): void {
    const from = this.epoch()
    this.block = block
    for (let epoch = from; epoch < this.epoch(); epoch++) this.endEpoch(epoch)
  }

  epoch(block = this.block): number {
    return Math.floor(block / this.number('epochBlocks'))
  }

  weight(index: number, epoch: number): bigint {
    return this.validators[index]?.weights.get(epoch) ?? 0n
  }

  accounts(): readonly bigint[] {
    const sum = (of: (validator: ModelValidator) => bigint) => this.validators.reduce((total, validator) => total + of(validator), 0n)
    return [sum(({ stake }) => stake), sum(({ unbonding }) => unbonding), this.owed, this.pool, this.pot]
  }

  fund(amount: bigint): Refused {
    this.close()
    this.pool += amount
    return null
  }

  stake(index: number, amount: bigint): Refused {
    const validator = this.of(index)
    if (validator.slashed) return 'SlashedForGood'
    if (amount === 0n) return 'AmountIsZero'
    const { stake } = this.afterSettling(index)
    if (stake + amount < this.parameters.minimumStake) return 'BelowMinimum'
    this.settle(index)
    validator.stake += amount
    return null
  }

  unstake(index: number, amount: bigint): Refused {
    const { stake } = this.afterSettling(index)
    if (amount > stake) return 'AmountTooLarge'
    if (stake - amount < this.parameters.minimumStake) return 'BelowMinimum'
    return amount === 0n ? 'AmountIsZero' : this.leave(index, amount)
  }

  exit(index: number): Refused {
    const { stake } = this.afterSettling(index)
    return stake === 0n ? 'AmountIsZero' : this.leave(index, stake)
  }

  withdraw(index: number): Refused {
    const validator = this.of(index)
    if (this.afterSettling(index).unbonding === 0n) return 'NothingToWithdraw'
    if (this.block < validator.availableAt) return 'TooEarly'
    if (validator.openOffences > 0) return 'OffenceOpen'
    this.settle(index)
    this.pay(validator, validator.unbonding)
    validator.unbonding = 0n
    return null
  }

  claimRewards(index: number): Refused {
    const validator = this.of(index)
    if (this.afterSettling(index).rewards === 0n) return 'NothingToWithdraw'
    this.settle(index)
    this.owed -= validator.rewards
    this.pay(validator, validator.rewards)
    validator.rewards = 0n
    return null
  }

  setPayout(index: number, payout: string | null, byOwner: boolean): Refused {
    if (!byOwner) return 'NotTheOwner'
    if (payout === null) return 'PayoutIsZero'
    this.of(index).payout = payout
    return null
  }

  settle(index: number): Refused {
    const validator = this.of(index)
    this.close()
    for (const epoch of validator.uncredited.filter((candidate) => candidate < this.epoch())) this.credit(index, epoch)
    const due = Math.min(
      Math.floor((validator.silent * this.number('epochBlocks')) / this.number('dayBlocks')),
      this.number('maxDowntimeDays'),
    )
    if (due > validator.daysPaid && due === this.number('maxDowntimeDays')) validator.ejected = true
    for (; validator.daysPaid < due; validator.daysPaid++) this.take(index, (validator.stake + validator.unbonding) / 1000n)
    return null
  }

  rejoin(index: number): Refused {
    const validator = this.of(index)
    if (validator.slashed) return 'SlashedForGood'
    const { ejected, stake } = this.afterSettling(index)
    if (!ejected) return 'NotEjected'
    if (stake < this.parameters.minimumStake) return 'BelowMinimum'
    this.settle(index)
    Object.assign(validator, { ejected: false, silent: 0, daysPaid: 0, pardonedEpoch: this.epoch() })
    return null
  }

  attest(index: number, epoch: number): Refused {
    const validator = this.of(index)
    if (epoch !== this.epoch()) return 'WrongEpoch'
    if (validator.slashed) return 'SlashedForGood'
    if (this.weight(index, epoch) === 0n) return 'NotActive'
    if (validator.attested.has(epoch)) return 'AlreadyAttested'
    this.settle(index)
    const late = this.block - epoch * this.number('epochBlocks') > this.number('graceBlocks')
    validator.attested.set(epoch, late)
    validator.uncredited.push(epoch)
    validator.silent = 0
    validator.daysPaid = 0
    const record = this.epochs.get(epoch) ?? { attesters: [], reward: 0n, left: 0n, uncredited: 0 }
    this.epochs.set(epoch, record)
    record.attesters.push(index)
    record.uncredited++
    this.openEpoch = epoch
    if (!late) return null
    let since = epoch
    while (since !== validator.lateChargedIn && validator.attested.get(since - 1) === true) since--
    if ((epoch - since) * this.number('epochBlocks') >= this.number('hourBlocks')) {
      validator.lateChargedIn = epoch
      this.take(index, (validator.stake + validator.unbonding) / 10_000n)
    }
    return null
  }

  reportDoubleAttestation(index: number): Refused {
    const validator = this.of(index)
    if (validator.slashed) return 'SlashedForGood'
    this.settle(index)
    validator.slashed = true
    this.forfeit(validator)
    this.take(index, validator.stake + validator.unbonding)
    return null
  }

  reportSignedBlock(index: number, place: string, block: string): Refused {
    const before = this.noted.get(`${index} ${place}`)
    if (this.of(index).slashed) return 'SlashedForGood'
    if (before === block) return 'AlreadyNoted'
    if (before !== undefined) return this.reportDoubleAttestation(index)
    this.noted.set(`${index} ${place}`, block)
    return null
  }

  reportInvalidAttestation(index: number, epoch: number, wrong: boolean): Refused {
    if (epoch > this.epoch()) return 'EpochToCome'
    if (this.block > this.lastEvidence(epoch)) return 'EvidenceTooOld'
    if (!wrong) return 'CheckpointIsRight'
    if (this.weight(index, epoch) === 0n) return 'NotActive'
    if (this.invalid.has(`${epoch} ${index}`)) return 'AlreadyReported'
    const invalid = { charged: 0n, closed: false }
    this.invalid.set(`${epoch} ${index}`, invalid)
    this.of(index).openOffences++
    this.settle(index)
    this.charge(index, epoch, invalid)
    return null
  }

  settleInvalidAttestation(index: number, epoch: number): Refused {
    const invalid = this.invalid.get(`${epoch} ${index}`)
    if (invalid === undefined) return 'NotReported'
    if (invalid.closed) return 'AlreadyClosed'
    this.settle(index)
    this.charge(index, epoch, invalid)
    if (this.block > this.lastEvidence(epoch)) {
      invalid.closed = true
      this.of(index).openOffences--
    }
    return null
  }

  private of(index: number): ModelValidator {
    return this.validators[index] as ModelValidator
  }

  private number(name: keyof StakingParameters): number {
    return Number(this.parameters[name])
  }

  private lastEvidence(epoch: number): number {
    return epoch * this.number('epochBlocks') + this.number('evidenceBlocks')
  }

  private total(epoch: number, indices: readonly number[] = [...this.validators.keys()]): bigint {
    return indices.reduce((sum, index) => sum + this.weight(index, epoch), 0n)
  }

  private endEpoch(epoch: number): void {
    const attesters = this.epochs.get(epoch)?.attesters ?? []
    const isLive = attesters.length > 0 && this.total(epoch, attesters) * 3n >= this.total(epoch) * 2n
    for (const [index, validator] of this.validators.entries()) {
      const isPardoned = validator.pardonedEpoch === epoch
      if (isLive && this.weight(index, epoch) > 0n && !validator.attested.has(epoch) && !isPardoned) validator.silent++
    }
    const ranked = [...this.validators.entries()]
      .filter(([, { stake, ejected }]) => stake * 100n >= this.parameters.minimumStake * 95n && !ejected)
      .sort(([a, { stake: ofA }], [b, { stake: ofB }]) => (ofA === ofB ? a - b : ofA > ofB ? -1 : 1))
    for (const [, validator] of ranked.slice(0, this.number('seats'))) validator.weights.set(epoch + 1, validator.stake)
  }

  private close(): void {
    if (this.openEpoch === null || this.openEpoch === this.epoch()) return
    const record = this.epochs.get(this.openEpoch) as ModelEpoch
    const full = this.parameters.rewardPerBlock * this.parameters.epochBlocks
    record.reward = this.pool < full ? this.pool : full
    record.left = record.reward
    this.pool -= record.reward
    this.owed += record.reward
    this.openEpoch = null
  }

  private credit(index: number, epoch: number): void {
    const validator = this.of(index)
    const record = this.epochs.get(epoch) as ModelEpoch
    const amount = (record.reward * this.weight(index, epoch)) / this.total(epoch, record.attesters)
    validator.uncredited.splice(validator.uncredited.indexOf(epoch), 1)
    validator.rewards += amount
    record.left -= amount
    record.uncredited--
    if (validator.slashed) this.forfeit(validator)
    if (record.uncredited > 0) return
    this.owed -= record.left
    this.pool += record.left
  }

  private forfeit(validator: ModelValidator): void {
    this.owed -= validator.rewards
    this.pool += validator.rewards
    validator.rewards = 0n
  }

  private leave(index: number, amount: bigint): null {
    const validator = this.of(index)
    this.settle(index)
    validator.stake -= amount
    validator.unbonding += amount
    validator.availableAt = this.block + this.number('unbondingBlocks')
    return null
  }

  private charge(index: number, epoch: number, invalid: Invalid): void {
    const total = this.total(epoch)
    const erred = this.total(
      epoch,
      [...this.validators.keys()].filter((candidate) => this.invalid.has(`${epoch} ${candidate}`)),
    )
    const price = (this.weight(index, epoch) * (total + 9n * erred)) / (100n * total)
    this.take(index, price - invalid.charged)
    invalid.charged = price
  }

  private take(index: number, amount: bigint): void {
    const validator = this.of(index)
    const fromStake = amount < validator.stake ? amount : validator.stake
    const rest = amount - fromStake
    const fromUnbonding = rest < validator.unbonding ? rest : validator.unbonding
    validator.stake -= fromStake
    validator.unbonding -= fromUnbonding
    this.pot += fromStake + fromUnbonding
  }

  private pay({ payout }: ModelValidator, amount: bigint): void {
    if (payout !== null) this.paid.set(payout, (this.paid.get(payout) ?? 0n) + amount)
  }

  private afterSettling(index: number): { stake: bigint; unbonding: bigint; rewards: bigint; ejected: boolean } {
    const copy = structuredClone({ ...this, validators: this.validators, epochs: this.epochs })
    const twin = Object.assign(Object.create(StakingModel.prototype), copy) as StakingModel
    twin.settle(index)
    return twin.of(index)
  }
}

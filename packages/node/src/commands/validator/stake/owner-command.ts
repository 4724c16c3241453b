import { parseAmount } from '@keelson/apps/bridge'
import { RpcResponseError } from '@keelson/client'
import { EPOCH_TURN_GAS, findStakingRefusal } from '@keelson/contracts'
import { type Address, bytesToHex, formatQuantity, hexToBytes, isHex, toAddress } from '@keelson/primitives'
import { asCalled, type OptionValues, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { createKeyFolder, type KeyPosition, placeOf, type StakingTerms } from '@keelson/validator'
import { createNativeCrypto } from '../../../crypto/native-crypto.ts'
import { AssemblyError } from '../../../errors.ts'
import { createAccountSender } from '../../bridge/account-sender.ts'
import { feeLimitsOf, feeOptions } from '../../bridge/fee-options.ts'
import { readKey } from '../../bridge/key-file.ts'
import { sayIfInterrupted } from '../../interrupt-notice.ts'
import { sharedAccountWarning } from '../paying-account.ts'
import { printResult, validatorFolder } from '../validator-folder.ts'
import { fromBlockOn, inTime, type OpenStaking, onlyKey, openStaking } from './open-staking.ts'
import { shownAmount } from './shown-amount.ts'
import { chainOptions, keyFolderOption, ownerOptions, validatorKeyOption } from './staking-options.ts'

export const ownerCommandOptions = {
  ...chainOptions,
  key: validatorKeyOption,
  dataDir: keyFolderOption,
  ...feeOptions,
  ...ownerOptions,
  payer: optionalOption({
    key: 'validator.from',
    flag: 'from',
    parse: parse.address,
    description: 'The account expected to send; another key is refused.',
  }),
} as const

export interface StakingCall {
  readonly data: Uint8Array
  readonly valueWei?: bigint
}

export interface OwnerContext {
  readonly staking: OpenStaking
  readonly key: Address
  readonly position: KeyPosition
  readonly terms: StakingTerms
  readonly head: number
  readonly sender: Address
  tokens(wei: bigint): string
}

type Values = OptionValues<typeof ownerCommandOptions>

export async function sendAsOwner(
  name: string,
  values: Values,
  plan: (context: OwnerContext) => Promise<StakingCall> | StakingCall,
  done: (before: OwnerContext, after: KeyPosition, terms: StakingTerms) => readonly string[],
): Promise<number> {
  const privateKey = await readKey(
    { ...values, passwordFile: values.ownerPasswordFile },
    (line) => console.error(line),
    '--owner-password-file',
  )
  const sender = toAddress(createNativeCrypto().addressOf(privateKey.reveal()))
  if (values.payer !== null && values.payer !== sender) {
    throw new AssemblyError('node/usage', `the key is of account ${sender}, --from expects ${values.payer}; nothing was sent`)
  }
  const shared = sharedAccountWarning(values.dataDir, sender)
  if (shared !== null) console.error(`keelson: ${shared}`)
  const staking = await openStaking(values)
  const key = await chosenKey(values)
  const { position, head, terms } = await readPosition(staking, key)
  const tokens = (wei: bigint) => shownAmount(wei, staking.symbol)
  const context = { staking, key, position, terms, head, sender, tokens }
  const { data, valueWei = 0n } = await plan(context)
  await assertAccepted(context, data, valueWei)
  const { rpc, clock, log, reader, chainId } = staking
  const account = createAccountSender({
    chainName: 'L2',
    chain: reader,
    chainId,
    key: privateKey,
    fees: feeLimitsOf(values),
    spareGas: EPOCH_TURN_GAS,
    clock,
    log,
    onSent: (_purpose, hash) => {
      if (!values.json) console.log(`sent ${hash}`)
      const look = asCalled(`validator status --key ${key}`)
      sayIfInterrupted(`the transaction ${hash} was sent to L2 and continues without this command; look at the validator with: ${look}`)
    },
  })
  const receipt = await account.send({ purpose: name, to: staking.chain.contract, data, valueWei })
  if (!receipt.succeeded) {
    const refusal = await refusalOf(context, data, valueWei, receipt.block.number - 1)
    throw new AssemblyError(
      'node/refused',
      `${receipt.transactionHash} is in block ${receipt.block.number} and failed there: ${refusal ?? 'no reason was given'}`,
    )
  }
  const after = await readPosition(staking, key, receipt.block.number)
  printResult(
    values.json,
    {
      command: name,
      key,
      from: sender,
      transactionHash: receipt.transactionHash,
      blockNumber: receipt.block.number,
      host: rpc.host,
      stakeWei: after.position.record?.stakeWei.toString() ?? '0',
      unbondingWei: after.position.record?.unbondingWei.toString() ?? '0',
      availableAt: after.position.record?.availableAt ?? null,
      activeNextEpoch: after.position.nextWeightWei > 0n,
    },
    [`in block ${receipt.block.number}`, ...done({ ...context, head: receipt.block.number }, after.position, terms)],
  )
  return 0
}

export async function readPosition(staking: OpenStaking, key: Address, at?: number) {
  const terms = await staking.chain.terms()
  const head = at ?? (await staking.chain.head()).number
  const { keys } = await staking.chain.positions([key], head, placeOf(head, terms).epoch)
  return { position: keys[0] as KeyPosition, head, terms }
}

export async function chosenKey({ key, dataDir }: Pick<Values, 'key' | 'dataDir'>): Promise<Address> {
  if (key !== null) return key
  if (dataDir === null)
    throw new AssemblyError('node/usage', "say which validator: --key ADDRESS, or --data-dir with the validator's folder")
  const folder = validatorFolder(dataDir).keys
  return onlyKey(
    (await createKeyFolder(folder).list()).map(({ address }) => address),
    folder,
  )
}

export function amountWei(text: string): bigint {
  const wei = parseAmount(text, 18)
  if (wei !== null && wei > 0n) return wei
  throw new AssemblyError('node/usage', `--amount ${text.slice(0, 40)}: expected coins above zero, with at most 18 digits after the point`)
}

async function assertAccepted(context: OwnerContext, data: Uint8Array, valueWei: bigint): Promise<void> {
  const { staking, sender, tokens } = context
  const balanceWei = await staking.reader.balanceWei(sender)
  const tooLittle = balanceWei <= valueWei
  // Not simulated if the value exceeds the balance: nodes would reject it.
  const refusal = tooLittle && valueWei > 0n ? null : await refusalOf(context, data, valueWei, 'latest')
  if (refusal !== null) throw new AssemblyError('node/refused', `${refusal}; nothing was sent`)
  if (!tooLittle) return
  const short = valueWei === 0n ? 'which does not pay the fee' : `and this needs ${tokens(valueWei)} and the fee`
  throw new AssemblyError('node/refused', `account ${sender} has ${tokens(balanceWei)}, ${short}; nothing was sent`)
}

async function refusalOf(context: OwnerContext, data: Uint8Array, valueWei: bigint, at: number | 'latest'): Promise<string | null> {
  const { staking, sender, position, head } = context
  const call = { from: sender, to: staking.chain.contract, data: bytesToHex(data), value: formatQuantity(valueWei) }
  try {
    await staking.rpc.call('eth_call', [call, at === 'latest' ? at : formatQuantity(at)])
    return null
  } catch (error) {
    if (!(error instanceof RpcResponseError) || error.severity === 'temporary') throw error
    const refusal = isHex(error.data) ? findStakingRefusal(hexToBytes(error.data)) : null
    if (refusal?.name === 'TooEarly' && position.record !== null) {
      const { availableAt } = position.record
      return `${refusal.words}, ${inTime(availableAt, head, staking.blockTimeSec)}; the chain is at block ${head}`
    }
    return refusal?.words ?? error.text
  }
}

export function unbondingLine({ head, tokens, staking }: OwnerContext, { record }: KeyPosition): string {
  if (record === null || record.unbondingWei === 0n) return 'nothing is unbonding'
  return `${tokens(record.unbondingWei)} unbonding, free ${fromBlockOn(record.availableAt, head, staking.blockTimeSec)}`
}

export function stakeLine({ tokens }: OwnerContext, { record, weightWei, nextWeightWei }: KeyPosition): string {
  const now = weightWei > 0n ? 'active now' : 'not active now'
  const next = nextWeightWei > 0n ? 'active in the next epoch' : 'not active in the next epoch'
  return `${tokens(record?.stakeWei ?? 0n)} staked, ${now}, ${next}`
}

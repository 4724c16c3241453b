import {
  encodeClaimRewards,
  encodeExit,
  encodeRejoin,
  encodeSetPayout,
  encodeStake,
  encodeUnstake,
  encodeWithdraw,
} from '@keelson/contracts'
import { asCalled, option, optionParsers as parse } from '@keelson/runtime'
import type { KeyPosition } from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { AssemblyError } from '../../../errors.ts'
import { amountWei, type OwnerContext, ownerCommandOptions, sendAsOwner, stakeLine, unbondingLine } from './owner-command.ts'
import { amountOption } from './staking-options.ts'

const WHO = '[--key ADDRESS | --data-dir FOLDER]'

export const stakeCommand = defineCommand({
  name: 'validator stake',
  summary: 'add to the stake of a validator; it counts from the next epoch on',
  usage: `--amount COINS ${WHO} [options]`,
  options: { ...ownerCommandOptions, amount: amountOption },
  run: (values) =>
    sendAsOwner(
      'stake',
      values,
      ({ key }) => ({ data: encodeStake(key), valueWei: amountWei(values.amount) }),
      (context, after) => [stakeLine(context, after)],
    ),
})

export const unstakeCommand = defineCommand({
  name: 'validator unstake',
  summary: 'ask for a part of the stake back; exit asks for all of it',
  usage: `--amount COINS ${WHO} [options]`,
  options: { ...ownerCommandOptions, amount: amountOption },
  run: (values) =>
    sendAsOwner(
      'unstake',
      values,
      ({ key }) => ({ data: encodeUnstake(key, amountWei(values.amount)) }),
      (context, after) => [stakeLine(context, after), unbondingLine(context, after)],
    ),
})

export const exitCommand = defineCommand({
  name: 'validator exit',
  summary: 'ask for all stake back; the duty lasts to the end of the epoch',
  usage: `${WHO} [options]`,
  options: ownerCommandOptions,
  run: (values) =>
    sendAsOwner(
      'exit',
      values,
      (context) => {
        const { key, position } = context
        if (position.record?.stakeWei === 0n && !position.record.slashed) {
          throw new AssemblyError('node/refused', `${key} has nothing at stake; ${unbondingLine(context, position)}; nothing was sent`)
        }
        return { data: encodeExit(key) }
      },
      (context, after, terms) => [
        stakeLine(context, after),
        unbondingLine(context, after),
        ...afterExit(context, after, terms.epochBlocks),
      ],
    ),
})

function afterExit({ key, head }: OwnerContext, { record, weightWei }: KeyPosition, epochBlocks: number): readonly string[] {
  const lastBlock = (Math.floor(head / epochBlocks) + 1) * epochBlocks - 1
  return [
    weightWei > 0n
      ? `keep ${asCalled('validator run')} going up to block ${lastBlock}, the last of this epoch; then stop it`
      : `no duty is left: ${asCalled('validator run')} can be stopped`,
    ...(record === null || record.unbondingWei === 0n ? [] : [`when it is free: ${asCalled(`validator withdraw --key ${key}`)}`]),
    ...(record !== null && record.rewardsWei > 0n ? [`rewards are paid by ${asCalled(`validator claim --key ${key}`)}`] : []),
  ]
}

export const rejoinCommand = defineCommand({
  name: 'validator rejoin',
  summary: 'ask for a seat again after an ejection for long silence',
  usage: `${WHO} [options]`,
  options: ownerCommandOptions,
  run: (values) =>
    sendAsOwner(
      'rejoin',
      values,
      ({ key }) => ({ data: encodeRejoin(key) }),
      (context, after) => [stakeLine(context, after)],
    ),
})

export const withdrawCommand = defineCommand({
  name: 'validator withdraw',
  summary: 'pay stake that was asked back, and is free, to the payout address',
  usage: `${WHO} [options]`,
  options: ownerCommandOptions,
  run: (values) =>
    sendAsOwner(
      'withdraw',
      values,
      ({ key }) => ({ data: encodeWithdraw(key) }),
      ({ position, tokens }) => [`${tokens(position.record?.unbondingWei ?? 0n)} paid to ${position.record?.payout}`],
    ),
})

export const claimCommand = defineCommand({
  name: 'validator claim',
  summary: 'pay the rewards to the payout address',
  usage: `${WHO} [options]`,
  options: ownerCommandOptions,
  run: (values) =>
    sendAsOwner(
      'claim',
      values,
      ({ key }) => ({ data: encodeClaimRewards(key) }),
      // The claim itself may credit more rewards.
      ({ position, tokens }) => [`at least ${tokens(position.record?.rewardsWei ?? 0n)} paid to ${position.record?.payout}`],
    ),
})

export const setPayoutCommand = defineCommand({
  name: 'validator set-payout',
  summary: 'name another address for rewards and stake',
  usage: `--payout ADDRESS ${WHO} [options]`,
  options: {
    ...ownerCommandOptions,
    payout: option({
      key: 'validator.payout',
      flag: 'payout',
      parse: parse.address,
      description: 'Where rewards and stake go from now on.',
    }),
  },
  run: (values) =>
    sendAsOwner(
      'set-payout',
      values,
      ({ key, position }) => {
        if (position.record?.payout === values.payout) {
          throw new AssemblyError('node/refused', `${values.payout} is the payout address already; nothing was sent`)
        }
        return { data: encodeSetPayout(key, values.payout) }
      },
      (_context, { record }) => [`rewards and stake go to ${record?.payout}`],
    ),
})

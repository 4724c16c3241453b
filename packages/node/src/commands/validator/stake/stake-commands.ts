/** `keelson validator stake|unstake|exit|withdraw|claim|set-payout`: what an owner does with a validator that is registered. */
import { encodeClaimRewards, encodeExit, encodeSetPayout, encodeStake, encodeUnstake, encodeWithdraw } from '@keelson/contracts'
import { option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../../command.ts'
import { AssemblyError } from '../../../errors.ts'
import { amountWei, ownerCommandOptions, sendAsOwner, stakeLine, unbondingLine } from './owner-command.ts'
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
      ({ key }) => ({ data: encodeExit(key) }),
      (context, after, terms) => [
        stakeLine(context, after),
        unbondingLine(context, after),
        `keep the validator running to block ${(Math.floor(context.head / terms.epochBlocks) + 1) * terms.epochBlocks - 1}, the last of this epoch`,
      ],
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
      // what the claim itself credits comes on top
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

import { formatAmount } from '@keelson/apps/bridge'
import type { FaucetTask } from '@keelson/apps/faucet'
import { counted } from '@keelson/primitives'
import { NATIVE_DECIMALS } from '../bridge/transfer-options.ts'

type Fields = Readonly<Record<string, unknown>>

export function renderTask(task: FaucetTask, result: Fields): string {
  switch (task) {
    case 'grant':
      return result.changed === true ? `${result.address} is a developer now` : `${result.address} was a developer already`
    case 'revoke': {
      const taken = result.taken as readonly string[]
      return taken.length === 0
        ? `${result.address} had nothing to take away`
        : `${result.address} is anonymous now; taken away: ${taken.join(', ')}`
    }
    case 'applications': {
      const list = result.applications as readonly Fields[]
      if (list.length === 0) return 'nobody applies'
      return list.map(({ address, contact, project, appliedAt }) => `${address}  ${appliedAt}\n  ${contact}\n  ${project}`).join('\n')
    }
    case 'status':
      return renderStatus(result)
  }
}

function balanceText(wei: string): string {
  return `${formatAmount(BigInt(wei), NATIVE_DECIMALS)} coins (${wei} wei)`
}

function renderStatus(result: Fields): string {
  const claims = Object.entries(result.claims as Record<string, number>)
  const rows: readonly (readonly [string, unknown])[] = [
    ['running', result.running === true ? 'yes' : 'no'],
    ...(result.running === true
      ? ([
          ['account', result.account],
          ['balance', result.balanceWei === null ? 'not known yet' : balanceText(String(result.balanceWei))],
          ['last 24 h', `${result.spent} of ${result.budget} claims`],
          ['under way', `${result.inFlight} sent, ${result.waiting} waiting`],
          ['trouble', result.trouble ?? 'none'],
        ] as const)
      : []),
    ['claims kept', claims.map(([state, count]) => `${count} ${state}`).join(', ')],
    ['verified', counted(Number(result.verified), 'address')],
    ['developers', (result.developers as readonly string[]).join(', ') || 'none'],
    ['applications', result.applications],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}

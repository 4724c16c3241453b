import { asCalled, createSilentLogger, createSystemClock, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { type Command, defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { databaseUrl } from '../../role/database-option.ts'
import { runOnFaucet } from './faucet-store.ts'
import { renderTask } from './render-task.ts'

const options = {
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder of the faucet.' }),
  databaseUrl: optionalOption({
    key: 'databaseUrl',
    parse: databaseUrl,
    secret: true,
    description: 'PostgreSQL database of the faucets, needed while none of them runs.',
  }),
  json: option({ key: 'faucet.json', flag: 'json', parse: parse.toggle, default: false, description: 'Print the result as JSON.' }),
} as const

function operatorCommand(task: 'grant' | 'revoke' | 'applications' | 'status', summary: string): Command<typeof options> {
  const takesAddress = task === 'grant' || task === 'revoke'
  return defineCommand({
    name: `faucet ${task}`,
    summary,
    usage: `${takesAddress ? 'ADDRESS ' : ''}--data-dir FOLDER [--json]`,
    options,
    takesArguments: takesAddress,
    async run(values, { positional }) {
      if (takesAddress && positional.length !== 1)
        throw new AssemblyError('node/usage', `give one address: ${asCalled('faucet')} ${task} ADDRESS --data-dir FOLDER`)
      const params = takesAddress ? { address: positional[0] } : {}
      const result = await runOnFaucet(values, task, params, { clock: createSystemClock(), log: createSilentLogger() })
      console.log(values.json ? JSON.stringify(result, null, 2) : renderTask(task, result))
      return 0
    },
  })
}

export const faucetGrantCommand = operatorCommand('grant', 'make an address a developer: 10 claims a day')
export const faucetRevokeCommand = operatorCommand('revoke', 'take every higher tier of an address away')
export const faucetApplicationsCommand = operatorCommand('applications', 'who applies for the developer tier')
export const faucetStatusCommand = operatorCommand('status', 'claims by state, balance, budget, who has a higher tier')

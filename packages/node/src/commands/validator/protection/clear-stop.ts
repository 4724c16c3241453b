import { defineCommand } from '../../../command.ts'
import { jsonOption, printResult, validatorFolderOptions } from '../validator-folder.ts'
import { withProtection } from './with-protection.ts'

export const clearStopCommand = defineCommand({
  name: 'validator protection clear-stop',
  summary: 'let keys sign again after one was slashed; find out first why, or the next one follows',
  usage: '--data-dir FOLDER',
  options: { ...validatorFolderOptions, json: jsonOption },
  async run({ dataDir, json }) {
    const stop = await withProtection(dataDir, false, async (protection) => {
      const found = protection.stopped()
      await protection.clearStop()
      return found
    })
    printResult(json, { cleared: stop }, [stop === null ? 'there was no stop on record' : `lifted: ${stop.reason}`])
    return 0
  },
})

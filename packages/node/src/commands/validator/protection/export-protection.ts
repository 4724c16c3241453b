import { counted } from '@keelson/primitives'
import { optionalOption, optionParsers as parse } from '@keelson/runtime'
import { renderInterchange, writeSecretFile } from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { jsonOption, printResult, validatorFolderOptions } from '../validator-folder.ts'
import { withProtection } from './with-protection.ts'

export const exportProtectionCommand = defineCommand({
  name: 'validator protection export',
  summary: 'the record as a file (in the form of EIP-3076), for another place or for safe keeping',
  usage: '--data-dir FOLDER [--out FILE]',
  options: {
    ...validatorFolderOptions,
    out: optionalOption({ key: 'out', parse: parse.path, description: 'File to write, which must not be there yet; printed without.' }),
    json: jsonOption,
  },
  async run({ dataDir, out, json }) {
    const interchange = await withProtection(dataDir, false, (protection) => protection.exportInterchange())
    const text = renderInterchange(interchange)
    if (out === null) {
      console.log(text.trimEnd())
      return 0
    }
    await writeSecretFile(out, text)
    const keys = interchange.keys.map(({ key }) => key)
    printResult(json, { file: out, keys }, [
      `wrote what was signed by ${counted(keys.length, 'key')} to ${out}`,
      'what is signed from now on is not in it',
    ])
    return 0
  },
})

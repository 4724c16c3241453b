import { DEFAULT_ANTHROPIC_URL, type ModelConfig } from '@keelson/platform'
import { type OptionValues, option, optionalOption, optionParsers as parse, Secret } from '@keelson/runtime'
import { readSecretFile, ValidatorError } from '@keelson/validator'
import { AssemblyError } from '../../errors.ts'

const secretText = Object.assign((value: unknown) => new Secret(parse.text(value)), { placeholder: '<text>', schema: parse.text.schema })
const MAX_KEY_BYTES = 4_096
const RETRIES = 2

export const platformChatOptions = {
  chatProvider: optionalOption({
    key: 'chat.provider',
    parse: parse.oneOf('openai', 'anthropic'),
    description: 'Interface of the service whose model answers in chats. Default: no model, answers are made of what tools give.',
  }),
  chatUrl: optionalOption({
    key: 'chat.url',
    parse: parse.httpUrl,
    description: `Base URL of that service, with the version. Default for anthropic: ${DEFAULT_ANTHROPIC_URL}.`,
  }),
  chatModelName: optionalOption({ key: 'chat.model', parse: parse.text, description: 'Name of the model.' }),
  chatKey: optionalOption({
    key: 'chat.key',
    parse: secretText,
    secret: true,
    description: 'Key of that service; better given by environment.',
  }),
  chatKeyFile: optionalOption({ key: 'chat.keyFile', parse: parse.path, description: 'File with that key, which nobody else may read.' }),
  chatMaxTokens: option({
    key: 'chat.maxTokens',
    parse: parse.integer(100, 100_000),
    default: 2_048,
    description: 'Tokens the model may give at a time; a turn asks it at most eight times.',
  }),
} as const

/** Null selects the built-in assistant. Throws AssemblyError `node/usage` without any part of the key. */
export async function chatModel(values: OptionValues<typeof platformChatOptions>): Promise<ModelConfig | null> {
  const { chatProvider: provider, chatModelName: model, chatKeyFile, chatMaxTokens: maxOutputTokens } = values
  if (provider === null) {
    const given = [values.chatUrl, model, values.chatKey, chatKeyFile].some((value) => value !== null)
    if (given) throw new AssemblyError('node/usage', 'a model is described, but not which interface it has: give --chat.provider')
    return null
  }
  if (model === null) throw new AssemblyError('node/usage', `--chat.provider ${provider} needs the name of a model: give --chat.model`)
  const url = values.chatUrl ?? (provider === 'anthropic' ? DEFAULT_ANTHROPIC_URL : null)
  if (url === null) throw new AssemblyError('node/usage', `--chat.provider ${provider} needs the address of its service: give --chat.url`)
  if (values.chatKey !== null && chatKeyFile !== null)
    throw new AssemblyError('node/usage', '--chat.key and --chat.key-file are both given: give one')
  const key = chatKeyFile === null ? values.chatKey : await readKey(chatKeyFile)
  if (key === null && provider === 'anthropic')
    throw new AssemblyError('node/usage', '--chat.provider anthropic needs a key: set KEELSON_CHAT_KEY, or give --chat.key-file')
  return { provider, url, model, key, maxOutputTokens, retries: RETRIES }
}

async function readKey(path: string): Promise<Secret> {
  try {
    const key = (await readSecretFile(path, MAX_KEY_BYTES)).trim()
    if (key !== '') return new Secret(key)
  } catch (error) {
    if (!(error instanceof ValidatorError)) throw error
    throw new AssemblyError('node/usage', `--chat.key-file: ${error.message}`)
  }
  throw new AssemblyError('node/usage', `--chat.key-file: ${path} is empty`)
}

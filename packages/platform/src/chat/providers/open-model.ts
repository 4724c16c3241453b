/** Opens the configured model and loads its library. */
import type { Clock } from '@keelson/primitives'
import type { LanguageModel } from 'ai'
import { createBoundedFetch } from './bounded-fetch.ts'
import { type ModelConfig, modelLabel } from './model-config.ts'

export async function openModel(config: ModelConfig, clock: Clock): Promise<LanguageModel> {
  const { provider, url: baseURL, model, key } = config
  const boundedFetch = createBoundedFetch(modelLabel(config), clock)
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    // without a key the library would read one from the environment
    return createAnthropic({ baseURL, apiKey: key?.reveal() ?? 'none', fetch: boundedFetch })(model)
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const apiKey = key === null ? {} : { apiKey: key.reveal() }
  return createOpenAICompatible({ name: 'model', baseURL, ...apiKey, includeUsage: true, fetch: boundedFetch })(model)
}

import type { Secret } from '@keelson/runtime'

export type ModelProvider = 'openai' | 'anthropic'

export interface ModelConfig {
  readonly provider: ModelProvider
  /** URL including the version: `https://api.example.com/v1`. */
  readonly url: string
  readonly model: string
  readonly key: Secret | null
  /** Per response of the model; a turn may have several. */
  readonly maxOutputTokens: number
  readonly retries: number
}

export const DEFAULT_ANTHROPIC_URL = 'https://api.anthropic.com/v1'

export function modelLabel({ provider, url, model }: Pick<ModelConfig, 'provider' | 'url' | 'model'>): string {
  return `${provider} model ${model} (${new URL(url).host})`
}

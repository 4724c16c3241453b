import type { Secret } from '@keelson/runtime'

export type ModelProvider = 'openai' | 'anthropic'

export interface ModelConfig {
  readonly provider: ModelProvider
  /** `https://api.example.com/v1`, for example. */
  readonly url: string
  readonly model: string
  readonly key: Secret | null
  readonly maxOutputTokens: number
  readonly retries: number
}

export const DEFAULT_ANTHROPIC_URL = 'https://api.anthropic.com/v1'

export function modelLabel({ provider, url, model }: Pick<ModelConfig, 'provider' | 'url' | 'model'>): string {
  return `${provider} model ${model} (${new URL(url).host})`
}

import { styleText } from 'node:util';
import type { Config } from '../config/config.ts';
import { listPendingSettings } from './pendingSettings.ts';

/** What Jano says when it has started: what it runs on, where to look, a line to try. `examples` describes servers of our own. */
export function bannerOf(
  version: string,
  url: string,
  config: Config,
  examples: string | null,
): string {
  const models = config.models.map(({ model }) => model);
  const first = config.models.find(({ pinned }) => !pinned) ?? config.models[0];
  const body = JSON.stringify({
    model: first?.model,
    messages: [{ role: 'user', content: 'hello' }],
  });
  // The key itself belongs on no screen.
  const key = Object.keys(config.auth.keys).length === 0 ? '' : '-H "X-Api-Key: <key>" ';
  const lines = [
    `${bold(`jano ${version}`)} listens on ${bold(url)}`,
    '',
    ...(examples === null
      ? [
          `  config  ${config.file ?? ''}`,
          ...listPendingSettings(config).map(
            (name) => `          ${name} is accepted, but does nothing yet`,
          ),
          `  models  ${models.join(', ')}`,
        ]
      : [
          '  No config file was found, so it runs on examples:',
          `  ${examples}: ${models.join(', ')}.`,
          '  For your own model servers write a jano.yaml; the README shows one.',
          '',
        ]),
    `  status  ${url}/status, for people ${url}/ui`,
    `  try     curl ${url}/v1/chat/completions ${key}-d ${quoted(body)}`,
    '',
    `  Ctrl-C stops it${examples === null ? '' : ', and the examples with it'}.`,
  ];
  return `${lines.join('\n')}\n`;
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout });
}

import { ConfigError } from './configError.ts';
import type { ConfigProblem } from './configError.ts';
import type { Config } from './config.ts';
import { blameVariable, readVariable } from './variables.ts';
import type { Variables } from './variables.ts';

type Listen = Config['listen'];

/** Reads `host:port`, `[::1]:8082`, `:8082` or `8082` (both on 127.0.0.1); undefined when it is none of them. */
export function parseListen(text: string): Listen | undefined {
  const match = /^(?:(?<host>[\w.-]*|\[[\da-fA-F:.]+\]):)?(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.['port'] ?? Number.NaN);
  if (!isPort(port)) return undefined;
  return { host: withoutBrackets(match?.groups?.['host'] ?? '') || '127.0.0.1', port };
}

/** The config with JANO_HOST and JANO_PORT in place of what it says; a ConfigError when they are malformed. */
export function overrideListen(config: Config, variables: Variables): Config {
  const problems = checkListenVariables(variables);
  if (problems.length > 0) throw new ConfigError(problems);
  const host = readVariable(variables, 'JANO_HOST');
  const port = readVariable(variables, 'JANO_PORT');
  return {
    ...config,
    listen: {
      host: host === undefined ? config.listen.host : withoutBrackets(host),
      port: port === undefined ? config.listen.port : Number(port),
    },
  };
}

/** What is wrong with JANO_HOST and JANO_PORT. */
export function checkListenVariables(variables: Variables): readonly ConfigProblem[] {
  const host = readVariable(variables, 'JANO_HOST');
  const port = readVariable(variables, 'JANO_PORT');
  const problems: ConfigProblem[] = [];
  if (host !== undefined && !/^(?:[\w.-]+|\[?[\da-fA-F:.]+\]?)$/.test(host)) {
    const message = `"${host}": expected a host without a port, such as 127.0.0.1`;
    problems.push(blameVariable(variables, 'JANO_HOST', message));
  }
  if (port !== undefined && !(/^\d+$/.test(port) && isPort(Number(port)))) {
    const message = `"${port}": expected a port from 0 to 65535`;
    problems.push(blameVariable(variables, 'JANO_PORT', message));
  }
  return problems;
}

function isPort(port: number): boolean {
  return port >= 0 && port <= 65_535;
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

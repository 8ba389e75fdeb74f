import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.json.JSONObject;
import org.pickerd.client.PickerClient;

/**
 * Uses a session by lines of JSON, as a small example of {@link PickerClient}.
 *
 * <pre>java PickerLines.java ws://127.0.0.1:7681/v1/sessions/ID [me.json [TOKEN-FILE]]</pre>
 *
 * Reads commands from standard input, one JSON object per line, without "ref", such as
 * {"type":"tap","date":"2026-11-20"}, {"type":"select","column":0,"row":3},
 * {"type":"set","result":{"local":"2026-12-03T14:20"}} or {"type":"rename","name":"Mia"}.
 * {"type":"state"} prints the state.
 */
public class PickerLines {
  public static void main(String[] arguments) throws Exception {
    PickerClient client = new PickerClient(arguments[0], "Java", new PickerClient.Events() {
      @Override
      public void refused(JSONObject refusal) {
        System.err.println("refused: " + refusal);
      }

      @Override
      public void found(JSONObject found) {
        System.out.println(found);
      }

      @Override
      public void ended(int code) {
        System.err.println(code == 0 ? "closed: there is no token" : "closed with " + code);
      }

      @Override
      public void failed(Exception problem) {
        System.err.println("connects again: " + problem);
      }
    });
    if (arguments.length > 1) client.file(Path.of(arguments[1]));
    if (arguments.length > 2) client.token(() -> read(Path.of(arguments[2])));
    client.start();

    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = input.readLine()) != null; ) {
      JSONObject command = new JSONObject(line);
      if (command.getString("type").equals("state")) client.read(System.out::println);
      else client.give(command);
    }
    client.close();
  }

  /** The token in a file; null if the file is empty. */
  private static String read(Path file) {
    try {
      String token = Files.readString(file).strip();
      return token.isEmpty() ? null : token;
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }
}

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Uses java.net.http's defaults: two GETs and a POST on one connection, then a WebSocket. */
public class UpgradeClient {
  public static void main(String[] arguments) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    String host = arguments[0], session = arguments[1];
    String body = "{\"definition\":{\"kind\":\"columns\",\"columns\":[[\"a\",\"b\"]]}}";
    URI base = URI.create("http://" + host + "/");
    show(client, HttpRequest.newBuilder(base.resolve("/healthz")).build());
    show(client, HttpRequest.newBuilder(base.resolve("/v1/sessions"))
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body)).build());
    show(client, HttpRequest.newBuilder(base.resolve(session)).build());
    CompletableFuture<String> first = new CompletableFuture<>();
    WebSocket socket = client.newWebSocketBuilder().subprotocols("pickerd.v1")
        .buildAsync(URI.create("ws://" + host + session), listener(first))
        .get(100, TimeUnit.SECONDS);
    System.out.println(socket.getSubprotocol());
    socket.sendText("{\"type\":\"join\"}", true);
    System.out.println(first.get(100, TimeUnit.SECONDS).startsWith("{\"type\":\"welcome\"")
        ? "welcome" : "something else");
    System.exit(0);
  }

  private static void show(HttpClient client, HttpRequest request) throws Exception {
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(response.version() + " " + response.statusCode());
  }

  private static WebSocket.Listener listener(CompletableFuture<String> first) {
    StringBuilder text = new StringBuilder();
    return new WebSocket.Listener() {
      @Override
      public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
        text.append(part);
        if (last) first.complete(text.toString());
        socket.request(1);
        return null;
      }
    };
  }
}
